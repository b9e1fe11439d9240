//! `starlings sync prove`: whether every dependency, and every bit of it, is needed.

use super::names::{self, bit};
use crate::cli::failure::Failure;
use crate::cli::interrupt;
use crate::cli::machine::GpuArg;
use crate::cli::numbers::{counted, duration};
use crate::cli::output::print;
use clap::Args;
use serde_json::{Value, json};
use starlings::Error;
use starlings::flock::{PRESETS, Settings};
use starlings::sync::kernels::BarrierMutant;
use starlings::sync::prove::{Mutant, Part, Proof, prove, recorded};
use starlings::sync::width::{Width, excess};
use starlings::sync::{Conflict, FrameKind, FrameSpec, frames};
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, Masks, Surface, Validation};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// Options of `starlings sync prove`.
#[derive(Args, Debug)]
#[command(after_help = "\
Frames of every kind, with every search, run under synchronization validation where this driver can run them, three in a row, and a checker applies the \
specification's memory model to their journals: neither may report a hazard. Then each dependency, and each bit of its \
masks, is removed in turn. The layer must report a hazard between two passes that the checker reports too; \
where the layer does not look (the host, the order of two renderings, the read of a buffer that a kernel also writes, \
accesses before the last write), the checker alone decides. What neither reports is redundant. A dependency must also be \
sufficient for what it guards with only those in its `relies_on`, and insufficient without any one of them.

Exit status: 0 everything is needed and nothing is missing, 1 otherwise, 3 no validation layer.")]
pub struct ProveArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Preset that the settings start from, as listed by `starlings presets`
    #[arg(long, value_name = "NAME", default_value = PRESETS[0].name, allow_hyphen_values = true)]
    preset: String,
    #[command(flatten)]
    gpu: GpuArg,
}

pub fn run(args: &ProveArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let frames = frames(&Settings::preset(&args.preset)?);
    interrupt::install();
    let (validation, display, capture) = (Validation::Required, None, false);
    let instance = Instance::new(&InstanceOptions { validation, display, capture })?;
    let surface = Surface::headless(&instance)?;
    let wanted = args.gpu.gpu.as_deref();
    let options =
        DeviceOptions { wanted, surface: surface.as_ref(), robust: true, witness: true, ..DeviceOptions::default() };
    let device = Device::with_options(&instance, &options)?;
    let mut proof = prove(&device, surface.as_ref(), &frames, &[], |_| interrupt::check())?;
    also((&instance, surface.as_ref()), wanted, &frames, &mut proof)?;
    if args.json {
        print(&json(&proof, &device.info().name))?;
    } else {
        print(&format!("{}\nTook {} on {}.", table(&proof), duration(started.elapsed()), device.info().name))?;
    }
    if proof.holds() {
        return Ok(());
    }
    let unexplained = proof.mutants.iter().filter(|mutant| !mutant.unexplained.is_empty()).count();
    let wrong = proof.findings.len() + proof.unneeded.len();
    let barriers = proof.barriers.iter().filter(|barrier| barrier.race.is_none()).count();
    let redundant = proof.survivors().count() + proof.spare.len() + proof.wide().count() + barriers;
    Err(Error::Unproven { wrong, redundant, unexplained }.into())
}

/// The frames that kernels record differently: with arrays by address, and in two rounds.
fn also(
    (instance, surface): (&Arc<Instance>, Option<&Surface>),
    wanted: Option<&str>,
    frames: &[FrameSpec],
    proof: &mut Proof,
) -> Result<(), Failure> {
    let open = |options| Device::with_options(instance, &DeviceOptions { wanted, surface, ..options });
    let by_address = open(DeviceOptions { by_address: true, ..DeviceOptions::default() })?;
    if by_address.info().device_addresses {
        let long = |frame: &&FrameSpec| frame.settings.can_be_by_address() && !frame.settings.engine.is_cpu();
        // Windowed and embedded frames have the same kernels.
        let kinds = [FrameKind::Offscreen, FrameKind::Step];
        let long = frames.iter().filter(long).filter(|frame| kinds.contains(&frame.kind));
        let frames: Vec<FrameSpec> = long.cloned().collect();
        recorded(&by_address, "with arrays by address", &frames, proof)?;
    }
    drop(by_address);
    interrupt::check()?;
    let narrow = open(DeviceOptions { narrow: true, ..DeviceOptions::default() })?;
    let drawn = frames.iter().filter(|frame| frame.kind == FrameKind::Offscreen);
    let frames: Vec<FrameSpec> = drawn.cloned().collect();
    Ok(recorded(&narrow, "without 64-bit atomics", &frames, proof)?)
}

/// Every mutant with what reported it, and the totals.
fn table(proof: &Proof) -> String {
    let mut text = String::new();
    for part in &proof.parts {
        let _ = writeln!(text, "{}: {}", part.frame, if part.flown { "run" } else { "not run" });
    }
    let not_run = |kind| proof.parts.iter().any(|part| !part.flown && part.frame.kind == kind);
    for (kind, why) in [
        (FrameKind::Embedded, "they are partly another program's"),
        (FrameKind::Windowed, "this driver has no swapchain without a window"),
    ] {
        if not_run(kind) {
            let _ = writeln!(text, "{kind} frames: recorded only, and checked without the layer: {why}");
        }
    }
    for (what, kinds) in &proof.recorded {
        let _ = writeln!(text, "{kinds} kinds of frames {what}: recorded only, and checked without the layer");
    }
    for finding in &proof.findings {
        let _ = writeln!(text, "WRONG    {finding}");
    }
    for (name, other) in &proof.unneeded {
        let _ = writeln!(text, "WRONG    {name} names {other}, but is sufficient without it in all of these frames");
    }
    let mut last = "";
    for mutant in &proof.mutants {
        if mutant.dependency != last {
            last = mutant.dependency;
            let head = format!("{last}, {}", width(proof, last));
            let _ = writeln!(text, "\n{head:<46}FOUND BY        SHOWING");
        }
        let shown = mutant.layer.as_ref().or(mutant.checker.as_ref()).map(short).unwrap_or_default();
        let line = format!("  {:<44}{:<16}{shown}", what(mutant), found_by(mutant));
        let _ = writeln!(text, "{}", line.trim_end());
        for report in &mutant.unexplained {
            let _ = writeln!(text, "    the layer also reports {report}");
        }
    }
    for place in &proof.spare {
        let _ = writeln!(text, "SPARE    {place}");
    }
    let _ = write!(text, "\n{}{}{}", inside(proof), covered(proof), verdict(proof));
    text
}

/// Whether a dependency has exactly the masks that it needs, or what it has more.
fn width(proof: &Proof, name: &str) -> String {
    let more: Vec<String> = proof.wide().filter(|width| width.name == name).map(wide).collect();
    if more.is_empty() { "exact".to_owned() } else { format!("WIDE: {}", more.join("; ")) }
}

fn wide(width: &Width) -> String {
    let Masks { src_stage, src_access, dst_stage, dst_access } = width.needed;
    let [from, to] = [(src_stage, src_access), (dst_stage, dst_access)]
        .map(|(stage, access)| format!("{} {}", names::stages(stage).join("|"), names::accesses(access).join("|")));
    let excess: Vec<String> = excess(width).into_iter().map(bit).collect();
    format!("{} is more than needed; enough is {from} to {to}", excess.join(", "))
}

/// What was found within the kernels.
fn inside(proof: &Proof) -> String {
    let mut text = String::new();
    let unneeded: Vec<_> = proof.barriers.iter().filter(|barrier| barrier.race.is_none()).collect();
    for BarrierMutant { module, nth, .. } in &unneeded {
        let _ = writeln!(text, "SPARE    barrier() number {nth} of {module}");
    }
    let _ = writeln!(
        text,
        "{} kernels: {} uses undeclared or unproven, {} dispatches executed; {} barrier() left out, {} found",
        proof.kernels,
        proof.unproven,
        proof.executed,
        proof.barriers.len(),
        proof.barriers.len() - unneeded.len()
    );
    let _ = writeln!(text, "{} kinds of frames: fences, semaphores, images and host memory in order", proof.hosts);
    text
}

/// Dependencies that are unnecessary in some kinds of frames.
fn covered(proof: &Proof) -> String {
    let mut by_name: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((name, kind, steps), by) in &proof.covered {
        let by: Vec<&str> = by.iter().flatten().copied().collect();
        let by = if by.is_empty() { "nothing to order".to_owned() } else { format!("by {}", by.join(", ")) };
        by_name.entry(name).or_default().push(format!("{kind} of {}: {by}", counted(*steps as u32, "step")));
    }
    let mut text = String::new();
    if !by_name.is_empty() {
        text.push_str("\nNot needed in all frames of these shapes, and needed in others:\n");
    }
    for (name, shapes) in by_name {
        let _ = writeln!(text, "  {name}");
        shapes.iter().for_each(|shape| {
            let _ = writeln!(text, "    {shape}");
        });
    }
    text + "\n"
}

fn what(mutant: &Mutant) -> String {
    match mutant.bit {
        None => "left out".to_owned(),
        Some(removed) => format!("- {}", bit(removed)),
    }
}

fn found_by(mutant: &Mutant) -> &'static str {
    match (mutant.layer.is_some(), mutant.checker.is_some()) {
        (true, _) => "layer, checker",
        (false, true) => "checker",
        (false, false) => "NEITHER",
    }
}

fn short(conflict: &Conflict) -> String {
    let before = if conflict.across_frames { " (before)" } else { "" };
    let Conflict { hazard, resource, producer, consumer, .. } = conflict;
    format!("{hazard} {resource}: {producer}{before} → {consumer}")
}

fn verdict(proof: &Proof) -> String {
    let wrong = proof.findings.len() + proof.unneeded.len();
    if wrong > 0 {
        return format!("{wrong} errors in the unmodified frames");
    }
    let count = |filter: fn(&&Mutant) -> bool| proof.mutants.iter().filter(filter).count();
    let by_layer = count(|mutant| mutant.layer.is_some());
    let by_checker = count(|mutant| mutant.layer.is_none() && mutant.checker.is_some());
    let mut text = format!(
        "{} mutants: {by_layer} found by layer and checker, {by_checker} by the checker alone, {} by neither",
        proof.mutants.len(),
        proof.survivors().count()
    );
    let redundant: Vec<String> =
        proof.survivors().map(|mutant| format!("{} {}", mutant.dependency, what(mutant))).collect();
    if !redundant.is_empty() {
        let _ = write!(text, "; redundant: {}", redundant.join(", "));
    }
    let unexplained: usize = proof.mutants.iter().map(|mutant| mutant.unexplained.len()).sum();
    if unexplained > 0 {
        let _ = write!(text, "; {unexplained} messages that the checker does not confirm");
    }
    text
}

fn json(proof: &Proof, device: &str) -> String {
    let mutant = |mutant: &Mutant| {
        json!({
            "dependency": mutant.dependency,
            "mutant": what(mutant),
            "layer": mutant.layer.as_ref().map(short),
            "checker": mutant.checker.as_ref().map(short),
            "unexplained": mutant.unexplained.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "flown": mutant.flown,
        })
    };
    let part = |Part { frame, flown }: &Part| {
        json!({
            "frame": frame.kind.to_string(),
            "engine": frame.settings.engine.name(),
            "search": frame.settings.search.name(),
            "influenced": frame.settings.influences() != 0,
            "look": frame.look.shape.name(),
            "color": frame.look.color.name(),
            "trails": frame.look.trail > 0.0,
            "observed": frame.observed,
            "flown": flown,
        })
    };
    let value = json!({
        "device": device,
        "frames": proof.parts.iter().map(part).collect::<Value>(),
        "wrong": proof.findings,
        "unneeded": proof.unneeded,
        "mutants": proof.mutants.iter().map(mutant).collect::<Value>(),
        "spare": proof.spare.iter().map(ToString::to_string).collect::<Value>(),
        "wide": proof.wide().map(|width| format!("{}: {}", width.name, wide(width))).collect::<Value>(),
        "kernels": proof.kernels,
        "barriers": proof.barriers.iter().map(|of| json!({ "kernel": of.module, "nth": of.nth, "race": of.race })).collect::<Value>(),
        "survivors": proof.survivors().count(),
        "holds": proof.holds(),
    });
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::vk::{Hazard, MaskBit, Stage};
    use std::collections::BTreeSet;

    #[test]
    fn a_proof_says_what_it_found() {
        let conflict = Conflict {
            hazard: Hazard::Raw,
            resource: "cell_counts",
            producer: "grid_count",
            consumer: "scan_reduce",
            across_frames: true,
            direct: true,
        };
        let mutant = |bit, layer: Option<&Conflict>, checker: Option<&Conflict>| Mutant {
            dependency: "count-to-reduce",
            bit,
            layer: layer.cloned(),
            checker: checker.cloned(),
            unexplained: Vec::new(),
            flown: true,
            asked: BTreeSet::new(),
        };
        let bit = |stage| Some(MaskBit::SourceStage(stage));
        let mutants = vec![
            mutant(None, Some(&conflict), Some(&conflict)),
            mutant(bit(Stage::COMPUTE_SHADER), None, Some(&conflict)),
            mutant(bit(Stage::CLEAR), None, None),
        ];
        let proof = Proof { mutants, ..Proof::default() };
        let text = table(&proof);
        assert!(
            text.contains("  left out                                    layer, checker  RAW cell_counts: "),
            "{text}"
        );
        assert!(text.contains("  - src stage CLEAR                           NEITHER\n"), "{text}");
        assert!(text.ends_with("1 by neither; redundant: count-to-reduce - src stage CLEAR"), "{text}");
        let json: Value = serde_json::from_str(&json(&proof, "a device")).expect("it is JSON");
        assert_eq!((&json["holds"], &json["survivors"]), (&false.into(), &1.into()));
        assert_eq!(json["mutants"][0]["layer"], "RAW cell_counts: grid_count (before) → scan_reduce");
        assert_eq!(json["mutants"][2]["checker"], Value::Null);

        // The longest lines are those of frames that are not run.
        let parts = frames(&Settings::preset(PRESETS[0].name).expect("a preset"));
        let parts = parts.into_iter().map(|frame| Part { frame, flown: false }).collect();
        let text = table(&Proof { parts, ..Proof::default() });
        assert!(
            text.contains("\nwindowed frames: recorded only, and checked without the layer: this driver has no"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");

        let wrong = Proof { findings: vec!["step frame: the checker finds nothing good".into()], ..Proof::default() };
        assert!(table(&wrong).contains("WRONG    step frame") && !wrong.holds());
    }
}
