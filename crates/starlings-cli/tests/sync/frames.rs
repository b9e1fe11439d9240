//! The frame's synchronization: what dependencies declare is what is recorded.

use crate::common;
use starlings::Error;
use starlings::flock::Settings;
use starlings::flock::buffers::{CELL_COUNTS, VELOCITY_YZ};
use starlings::flock::search::Search;
use starlings::frame::{AFTER_STEPS, BEFORE_STEPS};
use starlings::render::Look;
use starlings::vk::{
    Access, Dependency, Device, DeviceOptions, Fault, Hazard, Instance, InstanceOptions, Journal, JournalEntry,
    Resource, Stage, Surface, Use, Validation,
};
use starlings_cli::sync::between::{faulty, hazards};
use starlings_cli::sync::kernels::{Kernels, OwnModules};
use starlings_cli::sync::prove::{Mutant, Progress, Scope, prove, same};
use starlings_cli::sync::{
    Between, FrameKind, FrameSpec, Rehearsal, Rehearse, between, check, frames, reliance, sites, widths,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// A device of the null driver: it records in no time what others do, as tests/null_driver.rs shows.
pub fn null_device() -> Arc<Device> {
    null_device_with(&DeviceOptions::default())
}

/// The same, opened with `options`.
pub fn null_device_with(options: &DeviceOptions<'_>) -> Arc<Device> {
    Device::with_options(&Instance::null().expect("it needs nothing"), options).expect("its device lacks nothing")
}

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
            if different.iter().all(|known| !same(known.1, journals)) {
                different.push((frame, journals, between(journals)));
            }
        }
        different
    })
}

#[test]
fn frames_in_flight_are_in_order() {
    let device = null_device();
    for (frame, journals, _) in different(&device) {
        let conflicts = check(journals);
        assert!(conflicts.is_empty(), "{frame}: {conflicts:#?}");
    }
}

#[test]
fn no_mask_is_wider_than_needed() {
    let device = null_device();
    let kinds: Vec<Vec<Journal>> = different(&device).iter().map(|(_, journals, _)| journals.to_vec()).collect();
    let wide: Vec<_> = widths(&kinds).into_iter().filter(|width| !width.is_exact()).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn no_dependency_is_recorded_where_it_is_not_needed() {
    let device = null_device();
    let (mut all, mut needed) = (BTreeSet::new(), BTreeSet::new());
    for (_, journals, _) in different(&device) {
        all.extend(journals.iter().flat_map(sites));
        needed.extend(sites::needed(journals, &needed));
    }
    let spare: Vec<String> = all.difference(&needed).map(ToString::to_string).collect();
    assert!(spare.is_empty(), "{spare:#?}");
}

#[test]
fn dependencies_say_of_themselves_what_they_are_for() {
    let device = null_device();
    let mut found: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<Resource>)> = BTreeMap::new();
    let mut said: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<Resource>)> = BTreeMap::new();
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
    let device = null_device();
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
    let device = null_device();
    for frame in frames(&settings(Search::SortedGrid)).iter().filter(|frame| frame.kind == FrameKind::Embedded) {
        let mut rehearsal = Rehearsal::new(&device, frame, None).expect("a small flock fits");
        assert!(!rehearsal.can_run(), "{frame}: the program's passes have no commands");
        // The last to write positions: transition, if boids may perch.
        let perches = frame.settings.states.is_on() && !frame.settings.obstacles.is_empty();
        let last = if perches { "transition" } else { "steer" };
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

#[test]
fn passes_declare_what_their_kernels_access() {
    let device = null_device();
    let mut kernels = Kernels::new(&OwnModules);
    journals(&device).iter().flat_map(|(_, frames)| frames).for_each(|journal| kernels.check(journal));
    assert!(kernels.findings.is_empty(), "{:#?}", kernels.findings);
    assert!(kernels.modules().len() >= 60, "only {:?}", kernels.modules());
    let survived: Vec<_> = kernels.mutants.iter().filter(|mutant| mutant.survived()).collect();
    let barriers = kernels.mutants.iter().filter(|mutant| mutant.change == "left out").count();
    assert!(survived.is_empty() && barriers >= 40, "{survived:#?}");

    // A use that is left out of the declared ones, and one that is not needed.
    let frame = FrameSpec::new(&settings(Search::QuantizedGrid), FrameKind::Step);
    let mut rehearsal = Rehearsal::new(&device, &frame, None).expect("a small flock fits");
    let intact = rehearsal.journal(1, &[]).expect("it can be recorded");
    let with = |change: &dyn Fn(&mut Vec<Use>)| {
        let (mut journal, mut kernels) = (intact.clone(), Kernels::new(&OwnModules));
        for entry in &mut journal.entries {
            if let JournalEntry::Pass(pass) = entry
                && pass.name == "sort_list"
            {
                change(&mut pass.uses);
            }
        }
        kernels.check(&journal);
        kernels.findings
    };
    let omitted = with(&|uses| uses.retain(|of| of.resource != "cell_rank"));
    assert_eq!(
        omitted,
        BTreeSet::from(["sort_list reads cell_rank, which the pass sort_list does not declare".into()])
    );
    let added = with(&|uses| uses.push(Use::read(Stage::COMPUTE_SHADER, VELOCITY_YZ)));
    assert_eq!(
        added,
        BTreeSet::from(["the pass sort_list declares that it reads velocity_yz, but sort_list does not".into()])
    );
}

/// Each dependency in the source of the frame is in some kind of frame of the table, in as many places as it can be.
#[test]
fn the_table_of_frames_has_every_dependency() {
    let device = null_device();
    let folder =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/frame")).expect("the frame's folder");
    let sources = folder.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("source"));
    let sources: Vec<String> = sources.collect();
    let names = |source: &str| {
        let names = source.split('"').skip(1).step_by(2).filter(|name| name.contains("-to-") && !name.contains(' '));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let written: BTreeSet<String> = sources.iter().flat_map(|source| names(source)).collect();
    let mut recorded: BTreeMap<&str, usize> = BTreeMap::new();
    for journal in journals(&device).iter().flat_map(|(_, frames)| frames) {
        journal.dependencies().for_each(|dependency| *recorded.entry(dependency.name).or_default() += 1);
    }
    // A host records pictures into its own image: tests/embed leaves out each of these two, and the layer reports it.
    let of_a_host = ["embedder-to-copy", "picture-to-embedder"];
    // Only in pictures of two rounds, as all are without 64-bit atomics:
    // every_bit_of_a_picture_in_two_rounds_is_needed.
    let missing: Vec<_> = written
        .iter()
        .filter(|name| !recorded.contains_key(name.as_str()) && !of_a_host.contains(&name.as_str()))
        .collect();
    let of_two_rounds: &[&str] = if device.info().wide_atomics { &["depths-to-colors"] } else { &[] };
    assert_eq!(missing, of_two_rounds, "written, but in no kind of frame");
    // A sort of several blocks exchanges between them at more than one stride.
    assert!(recorded["sorted-to-exchange"] > recorded["exchange-to-merge"], "{recorded:#?}");
    assert!(recorded["exchange-to-merge"] > recorded["pairs-to-local"], "{recorded:#?}");
}

/// The documentation and the crate's front page show the passes of the default frame, in the order in which they are
/// recorded.
#[test]
fn the_diagrams_show_the_passes_that_are_recorded() {
    let device = null_device();
    let names = |kind| {
        let frame = FrameSpec::new(&Settings::preset("counting-sort").expect("a known preset"), kind);
        let mut rehearsal = Rehearsal::new(&device, &frame, None).expect("it fits");
        // The first frame has work of its own, such as filling a texture.
        let journals = rehearsal.journals(&[1, 1], &[]).expect("it can be recorded");
        journals[1].passes().map(|pass| pass.name).collect::<Vec<_>>()
    };
    let (step, frame) = (names(FrameKind::Step), names(FrameKind::Windowed));
    let picture = frame.strip_prefix(&step[..]).expect("a frame begins with its steps");
    let wanted = [format!("step      {}", step.join(" → ")), format!("picture   {} → present", picture.join(" → "))];
    for (name, text) in [
        ("docs/synchronization.md", include_str!("../../../../docs/synchronization.md")),
        ("src/lib.rs", include_str!("../../../../src/lib.rs")),
    ] {
        let shown = text.split("<!-- frame -->").nth(1).and_then(|rest| rest.split("<!-- /frame -->").next());
        let lines = shown.expect("it has the diagram").lines().map(|line| line.trim_start_matches("//! "));
        let lines: Vec<&str> = lines.filter(|line| line.contains('→')).collect();
        assert_eq!(lines, wanted, "in {name}");
    }
}

/// As on a driver without headless surfaces: the layer knows the image layout of presentation all the same.
#[test]
fn windowed_frames_are_recorded_without_a_surface() {
    let Some(device) = common::validated_device() else { return };
    let windowed = FrameSpec::new(&settings(Search::SortedGrid), FrameKind::Windowed);
    let mut rehearsal = Rehearsal::new(&device, &windowed, None).expect("a small flock fits");
    assert!(!rehearsal.can_run());
    let journals = rehearsal.journals(&[2, 0, 1], &[]).expect("it can be recorded");
    assert_eq!((journals.len(), device.instance().messages().count()), (3, 0), "validation has nothing to say");
    // What it says while mutants are recorded is expected, so it is not logged.
    let proof = prove(&device, None, &[windowed], &[], Scope::default(), go_on).expect("it can be recorded");
    assert!(proof.findings.is_empty() && !proof.mutants.is_empty(), "{:?}", proof.findings);
    let by_layer = |mutant: &&Mutant| mutant.layer.is_some() || mutant.ran || !mutant.unexplained.is_empty();
    assert_eq!(proof.mutants.iter().find(by_layer), None, "the checker alone judges them");
    assert_eq!(device.instance().messages().count(), 0, "all of it was expected");
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

fn go_on(_: Progress) -> starlings::Result<()> {
    Ok(())
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
                FrameSpec { look: trailing.clone(), ..FrameSpec::new(&trails, kind) },
            ]
        })
        .collect();
    let proof = prove(&device, surface.as_ref(), &frames, &[], Scope::default(), go_on).expect("the device lives");
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
        guards: &[&[CELL_COUNTS]],
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
    let proof = prove(&device, surface.as_ref(), &frames, &[plant], Scope::default(), go_on).expect("the device lives");
    assert!(proof.findings.is_empty(), "more than enough is no hazard: {:#?}", proof.findings);
    assert!(!proof.holds());
    let survivors: Vec<_> = proof.survivors().filter(|mutant| mutant.dependency == "planted").collect();
    assert_eq!(survivors.len(), 5, "left out, and each of its four bits: {survivors:#?}");
    // It repeats a part of another dependency.
    let spoilt: BTreeSet<_> = proof.survivors().map(|mutant| mutant.dependency).collect();
    assert_eq!(spoilt, BTreeSet::from(["planted", "reduce-to-spine"]));

    // The same under one name, and wider than needed: neither is found by leaving out what has that name.
    let again =
        Dependency { name: "reduce-to-spine", ..planted(Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE) };
    let wide = Dependency { name: "count-to-reduce", src_stage: Stage::ALL_COMMANDS, ..planted(Access::MEMORY_READ) };
    let plants = [("scan_spine", again), ("scan_reduce", wide)]
        .map(|(before, dependency)| Fault::Plant { before: before.into(), dependency });
    // Not in frames of other kinds, where all commands include more that is ordered otherwise.
    let frames = [FrameSpec::new(&settings(Search::SortedGrid), FrameKind::Step)];
    let proof = prove(&device, surface.as_ref(), &frames, &plants, Scope::default(), go_on).expect("the device lives");
    assert!(proof.findings.is_empty() && !proof.holds(), "{:#?}", proof.findings);
    let spare: Vec<&str> = proof.spare.iter().map(|place| place.name).collect();
    assert_eq!(spare, ["count-to-reduce", "count-to-reduce", "reduce-to-spine", "reduce-to-spine"]);
    let wide: BTreeSet<&str> = proof.wide().map(|width| width.name).collect();
    assert!(wide.contains("count-to-reduce"), "{wide:?}");
}

#[test]
fn a_wrong_mask_is_found_out_by_layer_and_checker() {
    let Some((device, surface)) = validated() else { return };
    let wrong = Dependency { dst_stage: Stage::VERTEX_SHADER, ..planted(Access::SHADER_STORAGE_READ) };
    let plant = Fault::Plant { before: "scan_reduce".into(), dependency: wrong };
    let faults = [Fault::Omit("count-to-reduce".into()), plant];
    let proof = prove(&device, surface.as_ref(), &of_search(Search::SortedGrid), &faults, Scope::default(), go_on)
        .expect("the device lives");
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
        prove(&device, surface.as_ref(), &frames, &faults, Scope::default(), go_on).expect("the device lives")
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
    let device = null_device();
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
