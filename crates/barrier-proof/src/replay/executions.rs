//! The executions that the specification allows where no dependency orders two passes as it should.

use crate::{Conflict, Hazard, Operation, Resource, Schedule};
use std::collections::BTreeMap;
use std::fmt;

/// A legal execution that is not the intended one, at a single moment of it. All else happens in the intended order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Execution {
    /// A pass runs in its place, and finds resources as they were before a pass wrote them: the writes are not visible
    /// to it.
    StaleRead {
        /// The place of the reader.
        reader: usize,
        /// By resource, the place of the writer whose values it does not see.
        unseen: BTreeMap<Resource, usize>,
    },
    /// A pass whose stages are partly in order reads what a later one writes.
    EarlyRead {
        /// The place of the reader.
        reader: usize,
        /// What it reads.
        resource: Resource,
        /// The place of the writer.
        writer: usize,
    },
    /// Passes run in another order.
    Reordered {
        /// The places in that order.
        order: Vec<usize>,
        /// The pass that runs too early or too late, and the one that it changes places with.
        moved: (usize, usize),
        /// Whether it runs too early.
        early: bool,
        /// The conflict that allows it.
        conflict: Conflict,
    },
}

/// The executions in which a pass of frame `moment` is the second to come.
pub fn executions(schedule: &Schedule, moment: usize) -> Vec<Execution> {
    let mut found: Vec<Execution> = Vec::new();
    for to in (0..schedule.operations.len()).filter(|&at| schedule.operations[at].frame == moment) {
        let unseen = unseen(schedule, to);
        if !unseen.is_empty() {
            found.push(Execution::StaleRead { reader: to, unseen });
        }
        // One that is not direct follows from others; and what is replayed begins with the frame before.
        for placed in schedule.conflicts.iter().filter(|of| of.to == Some(to) && of.conflict.direct) {
            let Some(from) = placed.from.filter(|&from| schedule.operations[from].frame + 1 >= moment) else {
                continue;
            };
            let before = found.len();
            let orders = [(early(schedule, from, to), (to, from), true), (late(schedule, from, to), (from, to), false)];
            for (order, moved, early) in orders {
                let Some(order) = order else { continue };
                let same =
                    |known: &Execution| matches!(known, Execution::Reordered { order: other, .. } if *other == order);
                if !found.iter().any(same) {
                    found.push(Execution::Reordered { order, moved, early, conflict: placed.conflict.clone() });
                }
            }
            if found.len() == before && placed.conflict.hazard == Hazard::War {
                found.push(Execution::EarlyRead { reader: from, resource: placed.conflict.resource, writer: to });
            }
        }
    }
    found
}

/// The resources of which the operation at `to` need not see the last write before it, with the writer.
fn unseen(schedule: &Schedule, to: usize) -> BTreeMap<Resource, usize> {
    let mut unseen = BTreeMap::new();
    for placed in schedule.conflicts.iter().filter(|of| of.to == Some(to) && of.conflict.hazard == Hazard::Raw) {
        let resource = placed.conflict.resource;
        let writes = |operation: &Operation| operation.uses.iter().any(|of| of.resource == resource && of.writes());
        let last = (0..to).rev().find(|&at| writes(&schedule.operations[at]));
        if last.is_some() && last == placed.from {
            unseen.extend(last.map(|last| (resource, last)));
        }
    }
    unseen
}

/// The order in which `to`, and all that it waits for, runs before `from`.
fn early(schedule: &Schedule, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut first = vec![to];
    for at in (from..to).rev() {
        if first.iter().any(|&of| schedule.waits(of, at)) {
            first.push(at);
        }
    }
    first.reverse();
    reordered(schedule, from, to, |at| first.contains(&at))
}

/// The order in which `from`, and all that waits for it, runs after `to`.
fn late(schedule: &Schedule, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut last = vec![from];
    for at in from + 1..=to {
        if last.iter().any(|&of| schedule.waits(at, of)) {
            last.push(at);
        }
    }
    reordered(schedule, from, to, |at| !last.contains(&at))
}

/// All operations, of those from `from` to `to` first the ones that are `first`; none if that leaves the two in order.
fn reordered(schedule: &Schedule, from: usize, to: usize, first: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    if first(from) || !first(to) {
        return None;
    }
    let (mut order, mut rest): (Vec<usize>, Vec<usize>) = ((0..from).collect(), Vec::new());
    (from..=to).for_each(|at| if first(at) { order.push(at) } else { rest.push(at) });
    order.extend(rest);
    order.extend(to + 1..schedule.operations.len());
    Some(order)
}

/// An execution in words: in short by `{:#}`.
pub struct Description<'a>(pub &'a Execution, pub &'a Schedule);

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description(execution, schedule) = self;
        let name = |at: usize, beside: usize| {
            let (operation, beside) = (&schedule.operations[at], &schedule.operations[beside]);
            match operation.frame < beside.frame {
                true if f.alternate() => format!("the last {}", operation.name),
                true => format!("{} of the previous frame", operation.name),
                false => operation.name.to_owned(),
            }
        };
        match execution {
            Execution::StaleRead { reader, unseen } => {
                let mut by_writer: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
                unseen
                    .iter()
                    .for_each(|(resource, writer)| by_writer.entry(*writer).or_default().push(resource.name()));
                // In short, by `{:#}`, several buffers are counted.
                let listed = |of: &[&str]| match of.len() > 2 && f.alternate() {
                    true => format!("{} buffers", of.len()),
                    false => of.join(", "),
                };
                let each = by_writer
                    .iter()
                    .map(|(writer, of)| format!("{} as before {} wrote", listed(of), name(*writer, *reader)));
                write!(f, "{} reads {}", schedule.operations[*reader].name, each.collect::<Vec<_>>().join("; "))
            }
            Execution::EarlyRead { reader, resource, writer } => {
                let (reader, writer) = (name(*reader, *writer), schedule.operations[*writer].name);
                write!(f, "{reader} reads {resource} as after {writer} wrote")
            }
            Execution::Reordered { moved: (moved, other), early: true, .. } => {
                write!(f, "{} runs before {}", name(*moved, *other), name(*other, *moved))
            }
            Execution::Reordered { moved: (moved, other), .. } => {
                write!(f, "{} runs after {}", name(*moved, *other), name(*other, *moved))
            }
        }
    }
}
