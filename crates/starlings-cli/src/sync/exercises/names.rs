//! Exercises whose answers are names, of dependencies, resources or passes.

use super::Verdict;
use crate::error::{Error, Result};
use crate::sync::between::{faulty, hazards};
use crate::sync::{Schedule, between, check};
use barrier_proof::without;
use starlings::vk::{Fault, Hazard, Journal, MaskBit, PassEntry};
use std::collections::BTreeSet;

/// What is to be named.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    /// Dependencies that resolve hazards of this kind only.
    WarOnly,
    /// Those by which the second pass still waits for the first, of the frame before, without the dependency.
    Chain { without: &'static str, from: &'static str, to: &'static str },
    /// Resources that are read too early without a bit of a dependency.
    ReadTooEarly(&'static str, MaskBit),
    /// Dependencies that can be left out, one at a time.
    Covered,
}

/// Judges a set of names.
pub fn judge(names: Names, frames: &[Journal], answer: &[String]) -> Result<Verdict> {
    let known: BTreeSet<&str> = match names {
        Names::ReadTooEarly(..) => {
            frames[0].passes().flat_map(|pass| &pass.uses).map(|of| of.resource.name()).collect()
        }
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
    let found = expected(names, frames);
    let mut wrong: Vec<String> = answered
        .difference(&found)
        .map(|name| format!("{name} is not one of them: {}", why_not(names, frames, name)))
        .collect();
    let missing = found.difference(&answered).count();
    if missing > 0 {
        let are = if missing == 1 { "is" } else { "are" };
        wrong.push(format!("{missing} of {} {are} missing.", found.len()));
    }
    if wrong.is_empty() { Ok(Verdict::Right(why(names).to_owned())) } else { Ok(Verdict::Wrong(wrong)) }
}

pub fn expected(names: Names, frames: &[Journal]) -> BTreeSet<&'static str> {
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
        Names::Chain { without, from, to } => {
            // All that are needed of those that remain, so that it waits.
            let others = frames[0].dependencies().map(|of| of.name).filter(|name| *name != without);
            match waits(frames, &[without], (from, to)) {
                true => others.filter(|name| !waits(frames, &[without, name], (from, to))).collect(),
                false => BTreeSet::new(),
            }
        }
        Names::ReadTooEarly(name, bit) => {
            let fault = Fault::Weaken(name.into(), bit);
            let frames: Vec<Journal> = frames.iter().map(|frame| faulty(frame, &fault)).collect();
            check(&frames).into_iter().map(|conflict| conflict.resource.name()).collect()
        }
        Names::Covered => {
            let all: BTreeSet<&'static str> = frames[0].dependencies().map(|of| of.name).collect();
            all.into_iter().filter(|name| check(&without(frames, &[name])).is_empty()).collect()
        }
    }
}

/// Whether the second pass waits for the first, of the frame before, without these.
pub fn waits(frames: &[Journal], left_out: &[&str], (from, to): (&str, &str)) -> bool {
    let schedule = Schedule::of(&without(frames, left_out));
    let find = |name, frame| schedule.operations.iter().position(|act| (act.name, act.frame) == (name, frame));
    matches!((find(from, 0), find(to, 1)), (Some(from), Some(to)) if schedule.waits(to, from))
}

fn why_not(names: Names, frames: &[Journal], name: &str) -> String {
    match names {
        Names::WarOnly => {
            let conflicts = between(frames).remove(name).unwrap_or_default();
            let other = conflicts.iter().find(|conflict| conflict.hazard != Hazard::War);
            other.map_or_else(|| "it resolves no hazard here".into(), |other| format!("it also resolves {other}"))
        }
        Names::Chain { without, .. } if name == without => "it is left out".into(),
        Names::Chain { without, from, to } => format!("without it, and without {without}, {to} still waits for {from}"),
        Names::ReadTooEarly(..) => "all that reads it still waits, and sees what was written".into(),
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
        Names::Chain { .. } => "It waits by this chain; only, it need not see what was written.",
        Names::ReadTooEarly(..) => "That is read in this stage; all else in others, which have their own bits.",
        Names::Covered => "Others order the same, and make the same visible. Frames of other shapes need them.",
    }
}

/// Judges an order of the passes of a frame.
pub fn judge_order(frame: &Journal, answer: &[String]) -> Result<Verdict> {
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
        let reads: BTreeSet<&str> = pass.uses.iter().filter(|of| of.reads()).map(|of| of.resource.name()).collect();
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
