//! Exercises whose answers are names, of dependencies, resources or passes.

use super::Verdict;
use super::frames::record;
use crate::error::{Error, Result};
use crate::flock::Search;
use crate::sync::between::{faulty, hazards};
use crate::sync::{FrameKind, Overlaps, between, check};
use crate::vk::{Fault, Hazard, Journal, JournalEntry, MaskBit, PassEntry, Stage};
use std::collections::BTreeSet;

/// What is to be named.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    WarOnly,
    Chain,
    ReadTooEarly,
    Covered,
}

/// Judges a set of names.
pub fn judge(names: Names, answer: &[String]) -> Result<Verdict> {
    let steps: &[u32] = if matches!(names, Names::WarOnly) { &[2, 0, 1] } else { &[1, 1, 1] };
    let kind = if matches!(names, Names::Chain) { FrameKind::Step } else { FrameKind::Windowed };
    let frames = record(kind, Search::QuantizedGrid, steps)?;
    let known: BTreeSet<&str> = match names {
        Names::ReadTooEarly => frames[0].passes().flat_map(|pass| &pass.uses).map(|of| of.resource).collect(),
        _ => frames[0].dependencies().map(|of| of.name).collect(),
    };
    let answered: BTreeSet<&str> = answer.iter().map(String::as_str).filter(|name| *name != "none").collect();
    if let Some(unknown) = answered.iter().find(|name| !known.contains(**name)) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Error::Input(format!(
            "'{unknown}' is not in this frame; accepted are names out of {}",
            known.join(", ")
        )));
    }
    let found = expected(names, &frames);
    let mut wrong: Vec<String> = answered
        .difference(&found)
        .map(|name| format!("{name} is not one of them: {}", why_not(names, &frames, name)))
        .collect();
    let missing = found.difference(&answered).count();
    if missing > 0 {
        let are = if missing == 1 { "is" } else { "are" };
        wrong.push(format!("{missing} of {} {are} missing.", found.len()));
    }
    if wrong.is_empty() { Ok(Verdict::Right(why(names).to_owned())) } else { Ok(Verdict::Wrong(wrong)) }
}

fn expected(names: Names, frames: &[Journal]) -> BTreeSet<&'static str> {
    match names {
        Names::WarOnly => {
            let only = |hazards: &BTreeSet<Hazard>| {
                let of: BTreeSet<&Hazard> = hazards
                    .iter()
                    .filter(|hazard| !matches!(hazard, Hazard::PreviousFrame | Hazard::Display))
                    .collect();
                of == BTreeSet::from([&Hazard::War])
            };
            between(frames)
                .into_iter()
                .filter(|(_, conflicts)| only(&hazards(conflicts)))
                .map(|(name, _)| name)
                .collect()
        }
        Names::Chain => {
            // All that are needed of those that remain, so that it waits.
            let others = frames[0].dependencies().map(|of| of.name).filter(|name| *name != "steer-to-count");
            others.filter(|name| !waits(frames, &["steer-to-count", name])).collect()
        }
        Names::ReadTooEarly => {
            let bit = MaskBit::DestinationStage(Stage::DRAW_INDIRECT);
            let fault = Fault::Weaken("cull-to-draw".into(), bit);
            let frames: Vec<Journal> = frames.iter().map(|frame| faulty(frame, &fault)).collect();
            check(&frames).into_iter().map(|conflict| conflict.resource).collect()
        }
        Names::Covered => {
            let all: BTreeSet<&'static str> = frames[0].dependencies().map(|of| of.name).collect();
            all.into_iter().filter(|name| check(&without(frames, &[name])).is_empty()).collect()
        }
    }
}

/// Whether `grid_count` waits for `steer` of the frame before without these.
fn waits(frames: &[Journal], left_out: &[&str]) -> bool {
    let overlaps = Overlaps::of(&without(frames, left_out));
    let find = |name, frame| overlaps.acts.iter().position(|act| (act.name, act.frame) == (name, frame));
    matches!((find("steer", 0), find("grid_count", 1)), (Some(steer), Some(count)) if overlaps.waits(count, steer))
}

fn without(frames: &[Journal], left_out: &[&str]) -> Vec<Journal> {
    let mut frames = frames.to_vec();
    for entry in frames.iter_mut().flat_map(|frame| &mut frame.entries) {
        if let JournalEntry::Dependency(dependency) = entry {
            dependency.omitted |= left_out.contains(&dependency.name);
        }
    }
    frames
}

fn why_not(names: Names, frames: &[Journal], name: &str) -> String {
    match names {
        Names::WarOnly => {
            let conflicts = between(frames).remove(name).unwrap_or_default();
            let other = conflicts.iter().find(|conflict| conflict.hazard != Hazard::War);
            other.map_or_else(|| "it resolves no hazard here".into(), |other| format!("it also resolves {other}"))
        }
        Names::Chain if name == "steer-to-count" => "it is left out".into(),
        Names::Chain => "without it, and without steer-to-count, grid_count still waits for steer".into(),
        Names::ReadTooEarly => "all that reads it still waits for cull, and sees what it wrote".into(),
        Names::Covered => {
            let conflicts = check(&without(frames, &[name]));
            let clearest = conflicts.iter().min_by_key(|conflict| (!conflict.direct, conflict.across_frames));
            clearest.map_or_else(String::new, |conflict| format!("without it there is {conflict}"))
        }
    }
}

fn why(names: Names) -> &'static str {
    match names {
        Names::WarOnly => {
            "Elsewhere, what orders a buffer's last reader and its next writer also carries a RAW dependency."
        }
        Names::Chain => "It waits by this chain; only, it need not see what steer wrote.",
        Names::ReadTooEarly => "The arguments of the draw are fetched in that stage; all else is read in later ones.",
        Names::Covered => "Others order the same, and make the same visible. Frames of other shapes need them.",
    }
}

/// Judges an order of the passes of a step.
pub fn judge_order(answer: &[String]) -> Result<Verdict> {
    let frame = record(FrameKind::Step, Search::QuantizedGrid, &[1])?.remove(0);
    let passes: Vec<&PassEntry> = frame.passes().collect();
    let named: Vec<&PassEntry> =
        answer.iter().filter_map(|name| passes.iter().copied().find(|pass| pass.name == name)).collect();
    let each: BTreeSet<&str> = named.iter().map(|pass| pass.name).collect();
    if named.len() != answer.len() || each.len() != passes.len() || named.len() != passes.len() {
        let names: BTreeSet<&str> = passes.iter().map(|pass| pass.name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        return Err(Error::Input(format!("the answer must have each pass once: {}", names.join(" "))));
    }
    let mut wrong = Vec::new();
    for (at, pass) in named.iter().enumerate() {
        let place = passes.iter().position(|known| known.name == pass.name).unwrap_or(0);
        let reads: BTreeSet<&str> = pass.uses.iter().filter(|of| of.reads()).map(|of| of.resource).collect();
        for resource in reads {
            let (found, should) = (last_writer(&named, at, resource), last_writer(&passes, place, resource));
            if found != should {
                let told = |writer: Option<(&str, bool)>| match writer {
                    Some((writer, true)) => format!("what {writer} wrote in this step"),
                    Some((writer, false)) => format!("what {writer} wrote in the step before"),
                    None => "what nothing wrote".to_owned(),
                };
                wrong.push(format!("{} reads {resource}: {}, not {}", pass.name, told(found), told(should)));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(Verdict::Right("Each pass reads what it should.".into())),
        false => Ok(Verdict::Wrong(wrong)),
    }
}

/// The last pass to write `resource` before the pass at `at`, and whether it does so in the same step.
fn last_writer<'a>(passes: &[&'a PassEntry], at: usize, resource: &str) -> Option<(&'a str, bool)> {
    let writes = |pass: &&PassEntry| pass.uses.iter().any(|of| of.resource == resource && of.writes());
    let here = passes[..at].iter().rev().find(|pass| writes(pass)).map(|pass| (pass.name, true));
    here.or_else(|| passes[at..].iter().rev().find(|pass| writes(pass)).map(|pass| (pass.name, false)))
}
