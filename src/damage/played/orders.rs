//! The bad orders that the specification allows where two passes meet that no dependency orders as it should.

use crate::sync::{Act, Conflict, Overlaps};
use crate::vk::Hazard;
use std::collections::BTreeMap;
use std::fmt;

/// A legal execution that is not the intended one, at a single moment of it; all else happens in the intended order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bad {
    /// A pass runs in its place, and finds resources as they were before a pass wrote them: the writes are not visible to it.
    Stale {
        /// The place of the reader.
        reader: usize,
        /// By resource, the place of the writer whose values it does not see.
        unseen: BTreeMap<&'static str, usize>,
    },
    /// A pass whose stages are partly in order reads what a later one writes.
    Ahead {
        /// The place of the reader.
        reader: usize,
        /// What it reads.
        resource: &'static str,
        /// The place of the writer.
        writer: usize,
    },
    /// Passes run in another order.
    Order {
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

/// The bad orders in which a pass of frame `moment` is the second to come.
pub fn bad(overlaps: &Overlaps, moment: usize) -> Vec<Bad> {
    let mut found: Vec<Bad> = Vec::new();
    for to in (0..overlaps.acts.len()).filter(|&at| overlaps.acts[at].frame == moment) {
        let unseen = unseen(overlaps, to);
        if !unseen.is_empty() {
            found.push(Bad::Stale { reader: to, unseen });
        }
        // One that is not direct follows from others; and what is played begins with the frame before.
        for meeting in overlaps.meetings.iter().filter(|of| of.to == Some(to) && of.conflict.direct) {
            let Some(from) = meeting.from.filter(|&from| overlaps.acts[from].frame + 1 >= moment) else { continue };
            let before = found.len();
            let orders = [(early(overlaps, from, to), (to, from), true), (late(overlaps, from, to), (from, to), false)];
            for (order, moved, early) in orders {
                let Some(order) = order else { continue };
                let known = |bad: &Bad| matches!(bad, Bad::Order { order: other, .. } if *other == order);
                if !found.iter().any(known) {
                    found.push(Bad::Order { order, moved, early, conflict: meeting.conflict.clone() });
                }
            }
            if found.len() == before && meeting.conflict.hazard == Hazard::War {
                found.push(Bad::Ahead { reader: from, resource: meeting.conflict.resource, writer: to });
            }
        }
    }
    found
}

/// The resources of which the act at `to` need not see the last write before it, with the writer.
fn unseen(overlaps: &Overlaps, to: usize) -> BTreeMap<&'static str, usize> {
    let mut unseen = BTreeMap::new();
    for meeting in overlaps.meetings.iter().filter(|of| of.to == Some(to) && of.conflict.hazard == Hazard::Raw) {
        let resource = meeting.conflict.resource;
        let writes = |act: &Act| act.uses.iter().any(|of| of.resource == resource && of.writes());
        let last = (0..to).rev().find(|&at| writes(&overlaps.acts[at]));
        if last.is_some() && last == meeting.from {
            unseen.extend(last.map(|last| (resource, last)));
        }
    }
    unseen
}

/// The order in which `to`, and all that it waits for, runs before `from`.
fn early(overlaps: &Overlaps, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut first = vec![to];
    for at in (from..to).rev() {
        if first.iter().any(|&of| overlaps.waits(of, at)) {
            first.push(at);
        }
    }
    first.reverse();
    reordered(overlaps, from, to, |at| first.contains(&at))
}

/// The order in which `from`, and all that waits for it, runs after `to`.
fn late(overlaps: &Overlaps, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut last = vec![from];
    for at in from + 1..=to {
        if last.iter().any(|&of| overlaps.waits(at, of)) {
            last.push(at);
        }
    }
    reordered(overlaps, from, to, |at| !last.contains(&at))
}

/// All acts, of those from `from` to `to` first the ones that are `first`; none if that leaves the two in order.
fn reordered(overlaps: &Overlaps, from: usize, to: usize, first: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    if first(from) || !first(to) {
        return None;
    }
    let (mut order, mut rest): (Vec<usize>, Vec<usize>) = ((0..from).collect(), Vec::new());
    (from..=to).for_each(|at| if first(at) { order.push(at) } else { rest.push(at) });
    order.extend(rest);
    order.extend(to + 1..overlaps.acts.len());
    Some(order)
}

/// A bad order in words.
pub struct Told<'a>(pub &'a Bad, pub &'a Overlaps);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told(bad, overlaps) = self;
        let name = |at: usize, beside: usize| {
            let (act, beside) = (&overlaps.acts[at], &overlaps.acts[beside]);
            match act.frame < beside.frame {
                true if f.alternate() => format!("the last {}", act.name),
                true => format!("{} of the previous frame", act.name),
                false => act.name.to_owned(),
            }
        };
        match bad {
            Bad::Stale { reader, unseen } => {
                let mut by_writer: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
                unseen.iter().for_each(|(resource, writer)| by_writer.entry(*writer).or_default().push(resource));
                // In short, by `{:#}`, several buffers are counted.
                let listed = |of: &[&str]| match of.len() > 2 && f.alternate() {
                    true => format!("{} buffers", of.len()),
                    false => of.join(", "),
                };
                let each = by_writer
                    .iter()
                    .map(|(writer, of)| format!("{} as before {} wrote", listed(of), name(*writer, *reader)));
                write!(f, "{} reads {}", overlaps.acts[*reader].name, each.collect::<Vec<_>>().join("; "))
            }
            Bad::Ahead { reader, resource, writer } => {
                let (reader, writer) = (name(*reader, *writer), overlaps.acts[*writer].name);
                write!(f, "{reader} reads {resource} as after {writer} wrote")
            }
            Bad::Order { moved: (moved, other), early: true, .. } => {
                write!(f, "{} runs before {}", name(*moved, *other), name(*other, *moved))
            }
            Bad::Order { moved: (moved, other), .. } => {
                write!(f, "{} runs after {}", name(*moved, *other), name(*other, *moved))
            }
        }
    }
}
