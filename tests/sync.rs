//! The frame's synchronization: what dependencies declare is what is recorded.

mod common;

use spirq::prelude::*;
use starlings::Error;
use starlings::flock::Settings;
use starlings::flock::search::{SEARCHES, Search};
use starlings::frame::{AFTER_STEPS, BEFORE_STEPS};
use starlings::render::Look;
use starlings::render::look::{Coloring, Shape};
use starlings::sync::between::{faulty, hazards};
use starlings::sync::prove::{Mutant, prove};
use starlings::sync::{Between, FrameKind, FrameSpec, Rehearsal, between, check, frames, reliance};
use starlings::vk::{
    Access, Dependency, Device, DeviceOptions, Fault, Hazard, Instance, InstanceOptions, Journal, Stage, Surface,
    Validation, shaders,
};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// All kinds of frames, each recorded with two steps, none and one; once for all tests.
fn journals(device: &Arc<Device>) -> &'static [(FrameSpec, Vec<Journal>)] {
    static JOURNALS: OnceLock<Vec<(FrameSpec, Vec<Journal>)>> = OnceLock::new();
    let record = |frame: FrameSpec| {
        let mut rehearsal = Rehearsal::new(device, &frame, None).expect("a small flock fits");
        let journals = rehearsal.journals(&[2, 0, 1], &[]).expect("it can be recorded");
        (frame, journals)
    };
    let preset = || Settings::preset("counting-sort").expect("a known preset");
    JOURNALS.get_or_init(|| frames(&preset()).into_iter().map(record).collect())
}

/// The same without duplicate journals, of searches that differ only in their kernels, and with the passes that
/// dependencies order.
fn different(device: &Arc<Device>) -> &'static [(&'static FrameSpec, &'static [Journal], Between)] {
    static DIFFERENT: OnceLock<Vec<(&FrameSpec, &[Journal], Between)>> = OnceLock::new();
    DIFFERENT.get_or_init(|| {
        let mut different: Vec<(&FrameSpec, &[Journal], Between)> = Vec::new();
        for (frame, journals) in journals(device) {
            if different.iter().all(|known| known.1 != journals) {
                different.push((frame, journals, between(journals)));
            }
        }
        different
    })
}

#[test]
fn frames_in_flight_are_in_order() {
    let Some(device) = common::device() else { return };
    for (frame, journals, _) in different(&device) {
        let conflicts = check(journals);
        assert!(conflicts.is_empty(), "{frame}: {conflicts:#?}");
    }
}

#[test]
fn dependencies_say_of_themselves_what_they_are_for() {
    let Some(device) = common::device() else { return };
    let mut found: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<&str>)> = BTreeMap::new();
    let mut said: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<&str>)> = BTreeMap::new();
    for (_, frames, between) in different(&device) {
        for (&name, conflicts) in between {
            let (all, resources) = found.entry(name).or_default();
            all.extend(hazards(conflicts));
            resources.extend(conflicts.iter().map(|conflict| conflict.resource));
        }
        for dependency in frames.iter().flat_map(Journal::dependencies) {
            let (hazards, guards) = said.entry(dependency.name).or_default();
            hazards.extend(dependency.hazards);
            guards.extend(dependency.guards.iter().copied());
        }
    }
    for (name, said) in said {
        assert_eq!(said, found[name], "{name}: what it says, and what happens without it");
    }
}

#[test]
fn dependencies_rely_on_those_that_they_name_and_on_no_others() {
    let Some(device) = common::device() else { return };
    let (mut named, mut needed, mut unnamed) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (frame, journals, between) in different(&device) {
        let found = reliance(journals, between);
        unnamed.extend(found.unnamed.iter().map(|(name, conflict)| format!("{frame}: {name} alone leaves {conflict}")));
        needed.extend(found.needed);
        for dependency in journals.iter().flat_map(Journal::dependencies) {
            named.extend(dependency.relies_on.iter().map(|&other| (dependency.name, other)));
        }
    }
    assert_eq!((&named, Vec::new()), (&needed, unnamed), "what is named, and what is needed");
    assert!(!named.is_empty());
}

#[test]
fn missing_dependencies_around_embedded_steps_are_reported() {
    let Some(device) = common::device() else { return };
    for frame in frames(&settings(Search::SortedGrid)).iter().filter(|frame| frame.kind == FrameKind::Embedded) {
        let mut rehearsal = Rehearsal::new(&device, frame, None).expect("a small flock fits");
        assert!(!rehearsal.can_fly(), "{frame}: the program's passes have no commands");
        let last = "steer";
        for (left_out, expected) in [
            (BEFORE_STEPS, "WAR on position_vx: embedder_draw of the previous frame → steer".to_owned()),
            (AFTER_STEPS, format!("RAW on position_vx: {last} → embedder_draw")),
        ] {
            let omit = Fault::Omit(left_out.name.into());
            let journals = rehearsal.journals(&[1, 1], &[omit]).expect("it can be recorded");
            let conflicts: Vec<String> = check(&journals).iter().map(ToString::to_string).collect();
            assert!(conflicts.contains(&expected), "{frame}, without {}: {conflicts:#?}", left_out.name);
        }
    }
}

/// How a shader accesses each of its buffers, by its descriptors.
fn descriptors(module: &str) -> BTreeMap<String, (bool, bool)> {
    let entry_points = ReflectConfig::new().spv(shaders::spirv(module)).ref_all_rscs(true).reflect();
    let mut buffers = BTreeMap::new();
    for variable in entry_points.expect("our own SPIR-V").iter().flat_map(|entry_point| &entry_point.vars) {
        let Variable::Descriptor { name, desc_ty, ty, .. } = variable else { continue };
        if matches!(desc_ty, DescriptorType::CombinedImageSampler()) {
            buffers.insert(name.as_deref().expect("names are kept").to_owned(), (true, false));
        }
        let Type::Struct(block) = ty else { continue };
        let member = &block.members[0];
        let (name, access) = match desc_ty {
            DescriptorType::UniformBuffer() => match &member.ty {
                Type::Struct(params) if params.name.as_deref() == Some("StepParams") => ("step_params", (true, false)),
                _ => ("scene_params", (true, false)),
            },
            DescriptorType::StorageBuffer(access) => {
                let name = member.name.as_deref().expect("names are kept");
                (
                    name,
                    match access {
                        AccessType::ReadOnly => (true, false),
                        AccessType::WriteOnly => (false, true),
                        AccessType::ReadWrite => (true, true),
                    },
                )
            }
            _ => continue,
        };
        buffers.insert(name.to_owned(), access);
    }
    buffers
}

#[test]
fn passes_touch_what_their_shaders_declare() {
    let Some(device) = common::device() else { return };
    let mut compared = BTreeSet::new();
    for (FrameSpec { settings, look, .. }, frames) in journals(&device) {
        for pass in frames.iter().flat_map(Journal::passes) {
            let (steer, observe) =
                (settings.law.kernel(settings.search), format!("observe_{}", settings.search.stem()));
            let modules: &[(&str, Stage)] = match pass.name {
                "steer" => &[(&steer, Stage::COMPUTE_SHADER)],
                "observe" => &[(&observe, Stage::COMPUTE_SHADER)],
                "draw_boids" if look.shape == Shape::Fish => {
                    &[("boid_vert", Stage::VERTEX_SHADER), ("fish_frag", Stage::FRAGMENT_SHADER)]
                }
                "draw_boids" => &[("boid_vert", Stage::VERTEX_SHADER), ("boid_frag", Stage::FRAGMENT_SHADER)],
                "draw_cell" => &[("cell_vert", Stage::VERTEX_SHADER), ("trail_frag", Stage::FRAGMENT_SHADER)],
                "draw_trails" => &[("trail_vert", Stage::VERTEX_SHADER), ("trail_frag", Stage::FRAGMENT_SHADER)],
                "draw_targets" => &[("target_vert", Stage::VERTEX_SHADER), ("boid_frag", Stage::FRAGMENT_SHADER)],
                "cull" if look.color == Coloring::Neighbors => &[("cull_observed", Stage::COMPUTE_SHADER)],
                "panels" => &[("panel_vert", Stage::VERTEX_SHADER), ("panel_frag", Stage::FRAGMENT_SHADER)],
                // Another program's.
                "embedder_compute" | "embedder_draw" => &[],
                kernel if pass.uses.iter().any(|of| of.stage == Stage::COMPUTE_SHADER) => {
                    &[(kernel, Stage::COMPUTE_SHADER)]
                }
                _ => &[],
            };
            for &(module, stage) in modules {
                let declared: BTreeMap<String, (bool, bool)> = pass
                    .uses
                    .iter()
                    .filter(|of| of.stage == stage)
                    .map(|of| (of.resource.to_owned(), (of.reads(), of.writes())))
                    .collect();
                let mut named = descriptors(module);
                // Specialization constants remove accesses that the flock does not need.
                if pass.name == "steer" && settings.influences() == 0 {
                    named.retain(|name, _| !["movement_weights", "leader_position"].contains(&name.as_str()));
                }
                if pass.name == "sort_scatter" {
                    named.retain(|name, _| match name.as_str() {
                        "sorted_quantized" => settings.search.info().quantized,
                        "cell_rank" => device.is_robust(),
                        _ => true,
                    });
                }
                assert_eq!(declared, named, "{}: reads and writes of {module}", pass.name);
                compared.insert(module.to_owned());
            }
        }
    }
    assert!(compared.len() >= 24, "only {compared:?}");
}

/// A device under validation, and a headless surface if the driver supports it.
fn validated() -> Option<(Arc<Device>, Option<Surface>)> {
    validated_with(DeviceOptions::default())
}

/// The same, opened with `options`.
fn validated_with(options: DeviceOptions<'_>) -> Option<(Arc<Device>, Option<Surface>)> {
    let open = || {
        let (validation, display, capture) = (Validation::Required, None, false);
        let instance = Instance::new(&InstanceOptions { validation, display, capture })?;
        let surface = Surface::headless(&instance)?;
        let options = DeviceOptions { surface: surface.as_ref(), robust: true, witness: true, ..options };
        Ok::<_, Error>((Device::with_options(&instance, &options)?, surface))
    };
    match open() {
        Ok(opened) => Some(opened),
        Err(error) => {
            assert!(!common::required("REQUIRE_VALIDATION"), "REQUIRE_VALIDATION=1, but {error}");
            eprintln!("SKIPPED, nothing was tested: {error}");
            None
        }
    }
}

fn settings(search: Search) -> Settings {
    let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(500);
    settings.search = search;
    settings
}

fn go_on(_: usize) -> starlings::Result<()> {
    Ok(())
}

#[test]
fn every_bit_of_every_dependency_is_needed() {
    let Some((device, surface)) = validated() else { return };
    let frames = frames(&settings(Search::SortedGrid));
    let proof = prove(&device, surface.as_ref(), &frames, &[], go_on).expect("the device lives");
    assert!(proof.findings.is_empty(), "{:#?}", proof.findings);
    let survivors: Vec<_> = proof.survivors().map(Mutant::fault).collect();
    assert!(survivors.is_empty(), "nobody misses {survivors:#?}");
    let disputed: Vec<_> = proof.mutants.iter().filter(|mutant| !mutant.unexplained.is_empty()).collect();
    assert!(disputed.is_empty(), "{disputed:#?}");
    assert!(proof.holds());
    assert_eq!(proof.parts.len(), frames.len());
    assert!(proof.mutants.len() > 100, "only {}", proof.mutants.len());
    // The checker alone finds a few: the layer does not check the host or consecutive renderings,
    // and reports one hazard of two on the same resource.
    let silent = |mutant: &&Mutant| mutant.flown && mutant.layer.is_none();
    let left_out = proof.mutants.iter().filter(|mutant| mutant.bit.is_none());
    let names: BTreeSet<&str> = left_out.filter(silent).map(|mutant| mutant.dependency).collect();
    assert!(names.is_subset(&BTreeSet::from(["copy-to-host", "order-to-host", "crowding-to-host"])), "{names:?}");
    let count = proof.mutants.iter().filter(silent).count();
    assert!(5 * count < proof.mutants.len(), "the layer is silent about {count} of {}", proof.mutants.len());
}

#[test]
fn every_bit_of_a_picture_in_two_rounds_is_needed() {
    let Some((device, surface)) = validated_with(DeviceOptions { narrow: true, ..DeviceOptions::default() }) else {
        return;
    };
    // With targets, and with trails.
    let targets = Settings::preset("counting-sort").expect("a known preset").with_boids(500);
    let trails = settings(Search::SortedGrid);
    let trailing = Look { trail: 0.1, ..Look::of(&trails) };
    let frames: Vec<FrameSpec> = [FrameKind::Windowed, FrameKind::Offscreen]
        .into_iter()
        .flat_map(|kind| {
            let shown = Look { targets: true, ..Look::of(&targets) };
            [
                FrameSpec { look: shown, ..FrameSpec::new(&targets, kind) },
                FrameSpec { look: trailing, ..FrameSpec::new(&trails, kind) },
            ]
        })
        .collect();
    let proof = prove(&device, surface.as_ref(), &frames, &[], go_on).expect("the device lives");
    assert!(proof.findings.is_empty(), "{:#?}", proof.findings);
    let rounds = proof.mutants.iter().filter(|mutant| mutant.dependency == "depths-to-colors");
    assert!(rounds.clone().count() >= 5, "left out, and each of its bits");
    let survivors: Vec<_> = proof.survivors().filter(|mutant| mutant.dependency == "depths-to-colors").collect();
    assert!(survivors.is_empty(), "{survivors:#?}");
}

fn planted(dst_access: Access) -> Dependency {
    Dependency {
        name: "planted",
        hazards: &[Hazard::Raw],
        guards: &["cell_counts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access,
        reason: "It does nothing that others do not.",
    }
}

/// All kinds of frames of a flock with that search.
fn of_search(search: Search) -> Vec<FrameSpec> {
    FrameKind::ALL.map(|kind| FrameSpec::new(&settings(search), kind)).into()
}

#[test]
fn a_redundant_dependency_is_found_out() {
    let Some((device, surface)) = validated() else { return };
    let plant = Fault::Plant { before: "scan_spine".into(), dependency: planted(Access::SHADER_STORAGE_READ) };
    // All pairs need a dependency that a step beginning with a fill does not.
    let frames = [Search::SortedGrid, Search::AllPairs].into_iter().flat_map(of_search).collect::<Vec<_>>();
    let proof = prove(&device, surface.as_ref(), &frames, &[plant], go_on).expect("the device lives");
    assert!(proof.findings.is_empty(), "more than enough is no hazard: {:#?}", proof.findings);
    assert!(!proof.holds());
    let survivors: Vec<_> = proof.survivors().filter(|mutant| mutant.dependency == "planted").collect();
    assert_eq!(survivors.len(), 5, "left out, and each of its four bits: {survivors:#?}");
    // It repeats a part of another dependency.
    let spoilt: BTreeSet<_> = proof.survivors().map(|mutant| mutant.dependency).collect();
    assert_eq!(spoilt, BTreeSet::from(["planted", "reduce-to-spine"]));
}

#[test]
fn a_wrong_mask_is_found_out_by_layer_and_checker() {
    let Some((device, surface)) = validated() else { return };
    let wrong = Dependency { dst_stage: Stage::VERTEX_SHADER, ..planted(Access::SHADER_STORAGE_READ) };
    let plant = Fault::Plant { before: "scan_reduce".into(), dependency: wrong };
    let faults = [Fault::Omit("count-to-reduce".into()), plant];
    let proof =
        prove(&device, surface.as_ref(), &of_search(Search::SortedGrid), &faults, go_on).expect("the device lives");
    assert!(!proof.holds() && proof.mutants.is_empty());
    for sayer in ["layer reports SYNC-HAZARD-READ-AFTER-WRITE", "checker finds RAW on cell_counts"] {
        let said = proof.findings.iter().filter(|finding| finding.contains(sayer));
        assert!(said.clone().count() > 0, "{sayer}: {:#?}", proof.findings);
        assert!(said.clone().all(|finding| finding.contains("grid_count → scan_reduce")), "{:#?}", proof.findings);
    }
}

#[test]
fn a_wrong_or_missing_name_in_relies_on_is_found_out() {
    let Some((device, surface)) = validated() else { return };
    let frames = [FrameSpec::new(&settings(Search::SortedGrid), FrameKind::Step)];
    // Instead of crowding-to-host, earlier, and with the same reliance.
    let stand_in = |relies_on| Dependency {
        relies_on,
        src_access: Access::NONE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        ..planted(Access::HOST_READ)
    };
    let prove = |relies_on| {
        let plant = Fault::Plant { before: "steer".into(), dependency: stand_in(relies_on) };
        let faults = [Fault::Omit("crowding-to-host".into()), plant];
        prove(&device, surface.as_ref(), &frames, &faults, go_on).expect("the device lives")
    };
    let right = prove(&["downsweep-to-list"]);
    assert_eq!((right.findings, right.unneeded), (Vec::new(), BTreeSet::new()));

    let leans = "step frame, gpu, search sorted-grid: planted relies on a dependency that it does not name";
    for missing in [prove(&[]), prove(&["count-to-reduce"])] {
        assert!(!missing.holds() && missing.mutants.is_empty());
        assert!(missing.findings.iter().all(|finding| finding.starts_with(leans)), "{:#?}", missing.findings);
        assert_eq!(missing.findings.len(), 1);
    }
    for other in ["count-to-reduce", "no-such-dependency"] {
        let wrong = prove(Vec::leak(vec!["downsweep-to-list", other]));
        assert!(!wrong.holds() && wrong.findings.is_empty(), "{:#?}", wrong.findings);
        assert_eq!(wrong.unneeded, BTreeSet::from([("planted", other)]));
    }
}

#[test]
fn the_recorder_and_the_checker_mean_the_same_by_a_fault() {
    let Some(device) = common::device() else { return };
    let frame = FrameSpec::new(&settings(Search::SortedGrid), FrameKind::Offscreen);
    let mut rehearsal = Rehearsal::new(&device, &frame, None).expect("a small flock fits");
    let recorded = |faults: &[Fault], rehearsal: &mut Rehearsal| rehearsal.journal(1, faults).expect("a journal");
    // The first frame of a scene also uploads its textures.
    recorded(&[], &mut rehearsal);
    let intact = recorded(&[], &mut rehearsal);
    for dependency in intact.dependencies() {
        for fault in std::iter::once(Fault::Omit(dependency.name.to_owned()))
            .chain(dependency.masks.bits().into_iter().map(|bit| Fault::Weaken(dependency.name.to_owned(), bit)))
        {
            // The recorder's fault is the one that the checker is given.
            assert_eq!(recorded(std::slice::from_ref(&fault), &mut rehearsal), faulty(&intact, &fault), "{fault:?}");
        }
    }
}

fn starlings(arguments: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_starlings")).args(arguments.split(' ')).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("plain text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_format_has_every_pass_and_every_dependency() {
    let Some(device) = common::device() else { return };
    for search in SEARCHES {
        for kind in FrameKind::ALL {
            let frame = FrameSpec::new(&settings(search.search), kind);
            let mut rehearsal = Rehearsal::new(&device, &frame, None).expect("a small flock fits");
            let journal = rehearsal.journal(1, &[]).expect("a journal");
            let passes: Vec<&str> = journal.passes().map(|pass| pass.name).collect();
            let dependencies: Vec<&str> = journal.dependencies().map(|dependency| dependency.name).collect();
            let print = |format: &str| {
                let arguments =
                    format!("sync --preset reynolds --search {} --frame {kind} --format {format}", search.name);
                let (status, out, err) = starlings(&arguments);
                assert_eq!((status, err.as_str()), (Some(0), ""), "{arguments}");
                out
            };

            let json: serde_json::Value = serde_json::from_str(&print("json")).expect("it is JSON");
            let named = |kind: &str| -> Vec<String> {
                let entries = json["entries"].as_array().expect("entries").iter();
                let names = entries.filter(|entry| entry["kind"] == kind).map(|entry| entry["name"].as_str());
                names.map(|name| name.expect("a name").to_owned()).collect()
            };
            assert_eq!(named("pass"), passes);
            assert_eq!(named("dependency"), dependencies);
            if (search.search, kind) != (Search::SortedGrid, FrameKind::Windowed) {
                continue; // The others differ in content, not in format.
            }

            let table = print("table");
            assert!(table.lines().all(|line| line.chars().count() <= 116), "{table}");
            for pass in &passes {
                assert!(table.lines().any(|line| line.starts_with(&format!("{pass} "))), "{pass}: {table}");
            }

            let (mermaid, dot) = (print("mermaid"), print("dot"));
            assert!(mermaid.starts_with("---\ntitle: ") && mermaid.contains("\n---\nflowchart TD\n"), "{mermaid}");
            let arrow = |line: &str| {
                let (from, rest) = line.trim().split_once(' ').expect("an arrow");
                let (label, to) = rest.strip_prefix("-->|\"").or(rest.strip_prefix("-.->|\""))?.split_once("\"| ")?;
                Some((from.to_owned(), label.to_owned(), to.to_owned()))
            };
            let (nodes, arrows): (Vec<&str>, Vec<&str>) =
                mermaid.lines().skip(4).partition(|line| line.contains("[\""));
            let declared: BTreeSet<&str> =
                nodes.iter().filter_map(|line| line.trim().split_once('[')).map(|node| node.0).collect();
            let mut drawn = BTreeSet::new();
            for line in &arrows {
                let (from, label, to) = arrow(line).unwrap_or_else(|| panic!("no arrow: {line}"));
                assert!(declared.contains(from.as_str()) && declared.contains(to.as_str()), "{line}");
                drawn.insert(label.split(':').next().expect("a name").to_owned());
            }
            assert_eq!(drawn, dependencies.iter().map(|&name| name.to_owned()).collect(), "{mermaid}");

            assert!(dot.starts_with("digraph frame {\n") && dot.trim_end().ends_with('}'), "{dot}");
            assert_eq!(dot.matches('"').count() % 2, 0, "{dot}");
            assert_eq!(dot.matches(" [label=\"").count(), arrows.len(), "{dot}");
            for name in &dependencies {
                assert!(dot.contains(&format!("[label=\"{name}: ")), "{name}: {dot}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    for (arguments, status, said) in [
        ("sync --format tabel", 2, "--format is 'tabel'; accepted is one of table, mermaid, dot, json"),
        ("sync --frame window", 2, "--frame is 'window'; accepted is one of windowed, offscreen, step, embedded"),
        ("sync --preset reynold", 2, "(did you mean 'reynolds'?)"),
        ("sync --search grid", 2, "--search is 'grid'; accepted is one of quantized-grid, sorted-grid, "),
        ("sync --steps 17", 2, "--steps is '17'; accepted is a whole number from 0 to 16"),
        ("sync prov", 2, "there is no command 'prov'; accepted is one of prove, break (did you mean 'prove'?)"),
    ] {
        let (code, out, err) = starlings(arguments);
        assert_eq!((code, out.as_str(), err.lines().count()), (Some(status), "", 1), "{arguments}: {err}");
        assert!(err.contains(said), "{arguments}: {err}");
    }
    if common::device().is_none() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
        .args(["sync", "prove"])
        .env("VK_LAYER_PATH", "/nowhere")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
    assert!(said.contains("the validation layer is not installed"), "{said}");
}
