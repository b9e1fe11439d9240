//! Frames of every shape, alone and in every sequence of three.

use crate::{Fault, Journal, Rehearsal, check, without};
use std::collections::{BTreeMap, BTreeSet};

/// Stands for the others where leaving out one of them is not enough to make a dependency necessary.
pub const SEVERAL: &str = "several others in turn";

/// Frames of one kind, of each shape: as the first frame of a program, which may do more, and as a later one.
pub struct Shapes {
    shapes: &'static [u32],
    counted: &'static str,
    first: Vec<Journal>,
    later: Vec<Journal>,
}

/// Where others make a dependency unnecessary: in every frame of this class and shape.
pub type Covered<C> = BTreeMap<(&'static str, C, u32), Option<BTreeSet<&'static str>>>;

impl Shapes {
    /// Records them.
    ///
    /// # Errors
    /// As [`Rehearsal::journals`].
    pub fn record<R: Rehearsal>(rehearsal: &mut R, faults: &[Fault]) -> Result<Shapes, R::Error> {
        let mut first = Vec::new();
        for &shape in R::SHAPES {
            first.extend(rehearsal.journals(&[shape], faults)?);
        }
        // These follow the first frame that was recorded last.
        let later = R::SHAPES.iter().map(|&shape| rehearsal.journal(shape, faults)).collect::<Result<_, _>>()?;
        Ok(Shapes { shapes: R::SHAPES, counted: R::COUNTED, first, later })
    }

    /// The conflicts in a sequence of three frames, for each sequence that has any. A shorter sequence is the start of
    /// a longer one.
    pub fn conflicts(&self) -> Vec<String> {
        let mut found = Vec::new();
        let all = || 0..self.shapes.len();
        for (a, b, c) in all().flat_map(|a| all().flat_map(move |b| all().map(move |c| (a, b, c)))) {
            let frames = [&self.first[a], &self.later[b], &self.later[c]].map(Clone::clone);
            let ([a, b, c], counted) = ([a, b, c].map(|at| self.shapes[at]), self.counted);
            let said = |conflict| format!("frames of {a}, {b} and {c} {counted}: {conflict}");
            found.extend(check(&frames).iter().map(said));
        }
        found
    }

    /// Notes which dependencies are not needed in frames of `class` that all have the same shape, and which others make
    /// them unnecessary.
    pub fn note_covered<C: Copy + Ord>(&self, class: C, covered: &mut Covered<C>) {
        for (at, &shape) in self.shapes.iter().enumerate() {
            let frames = [&self.first[at], &self.later[at], &self.later[at]].map(Clone::clone);
            let names: BTreeSet<&'static str> =
                frames.iter().flat_map(Journal::dependencies).map(|of| of.name).collect();
            for &name in &names {
                let known = covered.entry((name, class, shape)).or_insert_with(|| Some(BTreeSet::new()));
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
