//! `starlings sync prove`: whether every dependency, and every bit of it, is needed.

use super::names::{self, bit};
use crate::cli::machine::GpuArg;
use crate::cli::numbers::{counted, duration};
use crate::cli::output::{print, progress};
use crate::interrupt;
use crate::sync::kernels::KernelMutant;
use crate::sync::loops::{Loop, Watched};
use crate::sync::prove::{Mutant, Part, Progress, Proof, Scope, prove, recorded};
use crate::sync::sight::unseen_faults;
use crate::sync::transfers::{Transfers, transfers};
use crate::sync::width::{Width, excess};
use crate::sync::{Conflict, FrameKind, FrameSpec, frames};
use crate::{Error, Result};
use clap::Args;
use serde_json::{Value, json};
use starlings::flock::{PRESETS, Settings};
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, MaskBit, Surface, Validation};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;
use std::{panic, thread};

/// Options of `starlings sync prove`.
#[derive(Args, Debug)]
#[command(after_help = "\
Frames of every kind, with every search, run under synchronization validation where this driver can run them, three \
in a row, and a checker applies the specification's memory model to their journals: neither may report a hazard. Then \
each dependency, and each bit of its masks, is removed in turn. The layer must report a hazard between two passes \
that the checker reports too; where the layer does not look (the host, the order of two renderings, the read of a \
buffer that a kernel also writes, accesses before the last write), the checker alone decides. What neither reports is \
redundant. A dependency must also be sufficient for what it guards with only those in its `relies_on`, and \
insufficient without any one of them.

A part of the program (--frame, --dependency, --quick) shows what is wrong or missing in it. What is not needed \
there may be needed elsewhere, and is only listed.

Exit status: 0 everything is needed and nothing is missing, 1 otherwise, 3 no validation layer.")]
pub struct ProveArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only frames of which this is a part of the name: a kind (windowed, offscreen, step, embedded), a search, an
    /// addition, or a whole line that a proof prints first
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    frame: Option<String>,
    /// Only the mutants of this dependency
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    dependency: Option<String>,
    /// Only the default search without additions: each kind of frame once, on this device as it is
    #[arg(long)]
    quick: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
    /// Preset that the settings start from, as listed by `starlings presets`
    #[arg(long, value_name = "NAME", default_value = PRESETS[0].name, allow_hyphen_values = true)]
    preset: String,
    #[command(flatten)]
    gpu: GpuArg,
}

pub fn run(args: &ProveArgs) -> Result<()> {
    let started = Instant::now();
    let frames = args.frames()?;
    interrupt::install();
    let (validation, display, capture) = (Validation::Required, None, false);
    let instance = Instance::new(&InstanceOptions { validation, display, capture })?;
    let surface = Surface::headless(&instance)?;
    let wanted = args.gpu.gpu.as_deref();
    let options =
        DeviceOptions { wanted, surface: surface.as_ref(), robust: true, witness: true, ..DeviceOptions::default() };
    let device = Device::with_options(&instance, &options)?;
    let scope = Scope { partial: args.quick || args.frame.is_some(), dependency: args.dependency.as_deref() };
    let bar = progress(frames.len() as u64, "kinds of frames", args.quiet);
    let go_on = |at: Progress| {
        bar.set_position(at.done as u64);
        bar.set_message(format!("kinds of frames, {} mutants", at.mutants));
        interrupt::check()
    };
    let uuid = device.info().uuid.as_str();
    // What is only recorded needs neither the layer nor what is proven: a second processor takes it.
    let (proof, others) = thread::scope(|threads| {
        let others = (!scope.is_partial()).then(|| threads.spawn(|| also(uuid, &frames)));
        let proof = prove(&device, surface.as_ref(), &frames, &[], scope, go_on);
        (proof, others.map(|others| others.join().unwrap_or_else(|panic| panic::resume_unwind(panic))))
    });
    let mut proof = proof?;
    if let (Some(name), true) = (&args.dependency, proof.mutants.is_empty() && proof.findings.is_empty()) {
        return Err(Error::Input(format!(
            "'{name}' is no dependency of these frames; accepted is a name that `starlings sync` prints"
        )));
    }
    let (mut moved, mut loops) = (Transfers::default(), Vec::new());
    if let Some(others) = others {
        others?.into_iter().for_each(|other| proof.extend(other));
        moved = transfers(&device)?;
        proof.findings.extend(moved.findings.iter().cloned());
        let watch = |of: Loop| of.watch(&instance, args.gpu.gpu.as_deref(), &[]);
        loops = Loop::ALL.map(watch).into_iter().collect::<Result<Vec<_>>>()?;
        proof.findings.extend(loops.iter().filter_map(|of| of.finding.clone()));
    }
    drop(bar);
    if args.json {
        print(&json(&proof, &moved, &loops, &device.info().name))?;
    } else {
        let text = table(&proof, &moved, &loops);
        print(&format!("{text}\nTook {} on {}.", duration(started.elapsed()), device.info().name))?;
    }
    if proof.holds() && moved.survivors().next().is_none() {
        return Ok(());
    }
    let unexplained = proof.mutants.iter().filter(|mutant| !mutant.unexplained.is_empty()).count();
    let wrong = proof.findings.len() + proof.unneeded.len();
    let inside = proof.changes.iter().filter(|change| change.survived()).count();
    let survivors = if proof.partial { 0 } else { proof.survivors().count() };
    let redundant = survivors + proof.spare.len() + proof.wide().count() + inside + moved.survivors().count();
    Err(Error::Unproven { wrong, redundant, unexplained })
}

impl ProveArgs {
    fn frames(&self) -> Result<Vec<FrameSpec>> {
        let settings = Settings::preset(&self.preset)?;
        let all = frames(&settings);
        let mut wanted = all.clone();
        if self.quick {
            let plain = |of: &FrameSpec| {
                let usual = of.settings.engine == settings.engine && of.settings.search == settings.search;
                usual && *of == FrameSpec::new(&of.settings, of.kind) && of.settings.influences() == 0
            };
            wanted.retain(|of| plain(of) && !of.settings.states.is_on());
        }
        if let Some(name) = &self.frame {
            wanted.retain(|of| of.to_string().contains(name.as_str()));
            if wanted.is_empty() {
                return Err(Error::Input(format!(
                    "'{name}' is in no name of a kind of frame{}; accepted is a part of one, as of '{}'",
                    if self.quick { " of --quick" } else { "" },
                    all.first().map(ToString::to_string).unwrap_or_default()
                )));
            }
        }
        Ok(wanted)
    }
}

/// The frames that kernels record differently on the device with this UUID: with arrays by address, and in two rounds.
fn also(uuid: &str, frames: &[FrameSpec]) -> Result<Vec<Proof>> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let open = |options| Device::with_options(&instance, &DeviceOptions { wanted: Some(uuid), ..options });
    let mut found = Vec::new();
    let by_address = open(DeviceOptions { by_address: true, ..DeviceOptions::default() })?;
    if by_address.info().device_addresses {
        let long = |frame: &&FrameSpec| frame.settings.can_be_by_address() && !frame.settings.engine.is_cpu();
        // Windowed and embedded frames have the same kernels.
        let kinds = [FrameKind::Offscreen, FrameKind::Step];
        let long = frames.iter().filter(long).filter(|frame| kinds.contains(&frame.kind));
        let frames: Vec<FrameSpec> = long.cloned().collect();
        found.push(recorded(&by_address, "with arrays by address", &frames, interrupt::check)?);
    }
    drop(by_address);
    let narrow = open(DeviceOptions { narrow: true, ..DeviceOptions::default() })?;
    let drawn = frames.iter().filter(|frame| frame.kind == FrameKind::Offscreen);
    let frames: Vec<FrameSpec> = drawn.cloned().collect();
    found.push(recorded(&narrow, "without 64-bit atomics", &frames, interrupt::check)?);
    Ok(found)
}

/// Every mutant with what reported it, and the totals.
fn table(proof: &Proof, moved: &Transfers, loops: &[Watched]) -> String {
    let mut text = String::new();
    for part in &proof.parts {
        let _ = writeln!(text, "{}: {}", part.frame, if part.ran { "run" } else { "not run" });
    }
    let not_run = |kind| proof.parts.iter().any(|part| !part.ran && part.frame.kind == kind);
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
        let line = format!("  {:<44}{:<16}{shown}", what(mutant.bit), found_by(mutant));
        let _ = writeln!(text, "{}", line.trim_end());
        for report in &mutant.unexplained {
            let _ = writeln!(text, "    the layer also reports {report}");
        }
    }
    for place in &proof.spare {
        let _ = writeln!(text, "SPARE    {place}");
    }
    for mutant in moved.survivors() {
        let _ = writeln!(text, "SPARE    {} of a transfer: {}", mutant.dependency, what(mutant.bit));
    }
    let _ = write!(text, "\n{}{}{}{}", inside(proof), outside(proof, moved, loops), covered(proof), verdict(proof));
    text
}

/// What else was watched, and what was not looked for.
fn outside(proof: &Proof, moved: &Transfers, loops: &[Watched]) -> String {
    let mut text = String::new();
    if !moved.mutants.is_empty() {
        let _ = writeln!(text, "uploads and downloads: {} mutants, found by the checker", moved.mutants.len());
    }
    for Watched { command, seen, .. } in loops {
        let said = seen.map_or("not watched: this driver has no swapchain without a window".to_owned(), |seen| {
            format!("{seen}; each judged with those in flight")
        });
        let _ = writeln!(text, "the loop of `{command}`: {said}");
    }
    text.push_str("Not looked for:\n");
    let part = proof.partial.then_some("other frames, other dependencies, uploads and downloads, loops");
    part.into_iter().chain(NOT_WATCHED).chain(unseen_faults()).for_each(|fault| {
        let _ = writeln!(text, "  {fault}");
    });
    text
}

/// What runs outside of what is rehearsed and watched.
const NOT_WATCHED: [&str; 1] = ["what loops do with other options: `--watch` on a command judges it as it runs"];

/// Whether a dependency has exactly the masks that it needs, or what it has more.
fn width(proof: &Proof, name: &str) -> String {
    let more: Vec<String> = proof.wide().filter(|width| width.name == name).map(wide).collect();
    if more.is_empty() { "exact".to_owned() } else { format!("WIDE: {}", more.join("; ")) }
}

fn wide(width: &Width) -> String {
    let (from, to) = names::scopes(&width.needed);
    let excess: Vec<String> = excess(width).into_iter().map(bit).collect();
    format!("{} is more than needed; enough is {from} to {to}", excess.join(", "))
}

/// What was found within the kernels.
fn inside(proof: &Proof) -> String {
    let mut text = String::new();
    for KernelMutant { module, place, change, .. } in proof.changes.iter().filter(|change| change.survived()) {
        let _ = writeln!(text, "SPARE    {place} of {module}: {change}");
    }
    let count = |filter: fn(&&KernelMutant) -> bool| proof.changes.iter().filter(filter).count();
    let _ = writeln!(
        text,
        "{} kernels: {} uses undeclared or unproven, {} dispatches executed",
        proof.kernels, proof.unproven, proof.executed
    );
    let _ = writeln!(
        text,
        "{} changes of a barrier() or an atomic: {} found, {} explained, {} by neither",
        proof.changes.len(),
        count(|change| change.found.is_some()),
        count(|change| change.explained.is_some()),
        count(|change| change.survived())
    );
    let mut explained: BTreeMap<&str, usize> = BTreeMap::new();
    for why in proof.changes.iter().filter_map(|change| change.explained) {
        *explained.entry(why).or_default() += 1;
    }
    for (why, times) in explained {
        let _ = writeln!(text, "    {times} make no difference: {why}");
    }
    let _ = writeln!(text, "{} kinds of frames: fences, semaphores, images and host memory in order", proof.hosts);
    text
}

/// Dependencies that are unnecessary in some kinds of frames.
fn covered(proof: &Proof) -> String {
    let mut by_name: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((name, kind, steps), by) in &proof.covered {
        let by: Vec<&str> = by.iter().flatten().copied().collect();
        let by = if by.is_empty() { "nothing to order".to_owned() } else { format!("by {}", by.join(", ")) };
        by_name.entry(name).or_default().push(format!("{kind} of {}: {by}", counted(*steps, "step")));
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

fn what(removed: Option<MaskBit>) -> String {
    removed.map_or("left out".to_owned(), |removed| format!("- {}", bit(removed)))
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
    let partly = if proof.partial { "of a part of the program: " } else { "" };
    let mut text = format!(
        "{partly}{} mutants: {by_layer} found by layer and checker, {by_checker} by the checker alone, {} by neither",
        proof.mutants.len(),
        proof.survivors().count()
    );
    let redundant: Vec<String> =
        proof.survivors().map(|mutant| format!("{} {}", mutant.dependency, what(mutant.bit))).collect();
    if !redundant.is_empty() {
        let what = if proof.partial { "not needed in these frames" } else { "redundant" };
        let _ = write!(text, "; {what}: {}", redundant.join(", "));
    }
    let unexplained: usize = proof.mutants.iter().map(|mutant| mutant.unexplained.len()).sum();
    if unexplained > 0 {
        let _ = write!(text, "; {unexplained} messages that the checker does not confirm");
    }
    text
}

fn json(proof: &Proof, moved: &Transfers, loops: &[Watched], device: &str) -> String {
    let mutant = |mutant: &Mutant| {
        json!({
            "dependency": mutant.dependency,
            "mutant": what(mutant.bit),
            "layer": mutant.layer.as_ref().map(short),
            "checker": mutant.checker.as_ref().map(short),
            "unexplained": mutant.unexplained.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "flown": mutant.ran,
        })
    };
    let part = |Part { frame, ran }: &Part| {
        json!({
            "frame": frame.kind.to_string(),
            "engine": frame.settings.engine.name(),
            "search": frame.settings.search.name(),
            "influenced": frame.settings.influences() != 0,
            "look": frame.look.shape.name(),
            "color": frame.look.color.name(),
            "trails": frame.look.trail > 0.0,
            "observed": frame.observed.map(|what| format!("{what:?}").to_lowercase()),
            "flown": ran,
        })
    };
    let watched = |Watched { command, seen, .. }: &Watched| {
        let seen = seen.map(|seen| json!({ "submissions": seen.submissions, "different": seen.journals }));
        json!({ "command": command, "watched": seen })
    };
    let change = |of: &KernelMutant| {
        json!({
            "kernel": of.module,
            "place": of.place,
            "change": of.change,
            "found": of.found,
            "explained": of.explained,
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
        "changes": proof.changes.iter().map(change).collect::<Value>(),
        "loops": loops.iter().map(watched).collect::<Value>(),
        "transfers": moved.mutants.len(),
        "survivors": proof.survivors().count() + moved.survivors().count(),
        "partial": proof.partial,
        "not_looked_for": NOT_WATCHED.into_iter().chain(unseen_faults()).collect::<Vec<_>>(),
        "holds": proof.holds() && moved.survivors().next().is_none(),
    });
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::buffers::CELL_COUNTS;
    use starlings::vk::{Hazard, MaskBit, Stage};
    use std::collections::BTreeSet;

    #[test]
    fn a_proof_says_what_it_found() {
        let conflict = Conflict {
            hazard: Hazard::Raw,
            resource: CELL_COUNTS,
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
            ran: true,
            judged: BTreeSet::new(),
        };
        let bit = |stage| Some(MaskBit::SourceStage(stage));
        let mutants = vec![
            mutant(None, Some(&conflict), Some(&conflict)),
            mutant(bit(Stage::COMPUTE_SHADER), None, Some(&conflict)),
            mutant(bit(Stage::CLEAR), None, None),
        ];
        let proof = Proof { mutants, ..Proof::default() };
        let text = table(&proof, &Transfers::default(), &[]);
        assert!(
            text.contains("  left out                                    layer, checker  RAW cell_counts: "),
            "{text}"
        );
        assert!(text.contains("  - src stage CLEAR                           NEITHER\n"), "{text}");
        assert!(text.ends_with("1 by neither; redundant: count-to-reduce - src stage CLEAR"), "{text}");
        let json: Value =
            serde_json::from_str(&json(&proof, &Transfers::default(), &[], "a device")).expect("it is JSON");
        assert_eq!((&json["holds"], &json["survivors"]), (&false.into(), &1.into()));
        assert_eq!(json["mutants"][0]["layer"], "RAW cell_counts: grid_count (before) → scan_reduce");
        assert_eq!(json["mutants"][2]["checker"], Value::Null);

        // The longest lines are those of frames that are not run.
        let parts = frames(&Settings::preset(PRESETS[0].name).expect("a preset"));
        let parts = parts.into_iter().map(|frame| Part { frame, ran: false }).collect();
        let text = table(&Proof { parts, ..Proof::default() }, &Transfers::default(), &[]);
        assert!(
            text.contains("\nwindowed frames: recorded only, and checked without the layer: this driver has no"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");

        let wrong = Proof { findings: vec!["step frame: the checker finds nothing good".into()], ..Proof::default() };
        assert!(table(&wrong, &Transfers::default(), &[]).contains("WRONG    step frame") && !wrong.holds());
    }
}
