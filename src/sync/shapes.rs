//! Frames of every shape: of 0, 1, 2 and 3 steps, alone and in every sequence of three.

use super::checker::check;
use super::frames::FrameKind;
use super::rehearsal::Rehearsal;
use crate::error::Result;
use crate::vk::{Fault, Journal, JournalEntry};
use std::collections::{BTreeMap, BTreeSet};

/// Counts of steps that are tried.
const COUNTS: [u32; 4] = [0, 1, 2, 3];

/// Stands for the others where leaving out one of them is not enough to make a dependency necessary.
pub const SEVERAL: &str = "several others in turn";

/// Frames of one kind, of each count of steps: as the first frame of a scene, which also fills its textures, and as a later one.
pub struct Shapes {
    first: Vec<Journal>,
    later: Vec<Journal>,
}

/// Where others make a dependency unnecessary: in every frame of this kind with so many steps.
pub type Covered = BTreeMap<(&'static str, FrameKind, usize), Option<BTreeSet<&'static str>>>;

impl Shapes {
    /// Records them.
    ///
    /// # Errors
    /// As [`Rehearsal::journals`].
    pub fn record(rehearsal: &mut Rehearsal, faults: &[Fault]) -> Result<Shapes> {
        let mut first = Vec::new();
        for steps in COUNTS {
            first.extend(rehearsal.journals(&[steps], faults)?);
        }
        // These follow the first frame that was recorded last.
        let later = COUNTS.iter().map(|&steps| rehearsal.journal(steps, faults)).collect::<Result<_>>()?;
        Ok(Shapes { first, later })
    }

    /// The conflicts in a sequence of three frames, for each sequence that has any. A shorter sequence is the start of a longer one.
    pub fn conflicts(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (a, b, c) in
            COUNTS.iter().flat_map(|a| COUNTS.iter().flat_map(move |b| COUNTS.iter().map(move |c| (a, b, c))))
        {
            let frames =
                [&self.first[*a as usize], &self.later[*b as usize], &self.later[*c as usize]].map(Clone::clone);
            let conflicts = check(&frames);
            found.extend(conflicts.iter().map(|conflict| format!("frames of {a}, {b} and {c} steps: {conflict}")));
        }
        found
    }

    /// Notes which dependencies are not needed in frames of `kind` that all have the same count of steps, and which others make them
    /// unnecessary.
    pub fn note_covered(&self, kind: FrameKind, covered: &mut Covered) {
        for steps in 0..COUNTS.len() {
            let frames = [&self.first[steps], &self.later[steps], &self.later[steps]].map(Clone::clone);
            let names: BTreeSet<&'static str> =
                frames.iter().flat_map(Journal::dependencies).map(|of| of.name).collect();
            for &name in &names {
                let known = covered.entry((name, kind, steps)).or_insert_with(|| Some(BTreeSet::new()));
                let Some(by) = known else { continue };
                if !check(&without(&frames, &[name])).is_empty() {
                    *known = None;
                    continue;
                }
                let others: Vec<&str> = names.iter().copied().filter(|&other| other != name).collect();
                let all: Vec<&str> = names.iter().copied().collect();
                if check(&without(&frames, &others)) != check(&without(&frames, &all)) {
                    by.insert(SEVERAL);
                }
                for &other in names.iter().filter(|other| **other != name) {
                    let (one, both) = (check(&without(&frames, &[other])), check(&without(&frames, &[name, other])));
                    if !both.is_subset(&one) {
                        by.insert(other);
                        by.remove(SEVERAL);
                    }
                }
            }
        }
    }
}

fn without(frames: &[Journal], names: &[&str]) -> Vec<Journal> {
    let mut frames = frames.to_vec();
    for entry in frames.iter_mut().flat_map(|frame| &mut frame.entries) {
        if let JournalEntry::Dependency(dependency) = entry {
            dependency.omitted |= names.contains(&dependency.name);
        }
    }
    frames
}
