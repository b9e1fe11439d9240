//! Between which passes each dependency stands.

use crate::{Conflict, HOST, Hazard, Journal, JournalEntry, PRESENT, Resource};
use std::collections::BTreeMap;

/// An arrow of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// Whether `from` is in the previous frame or step.
    pub from_before: bool,
    /// The pass that comes first; or the display, or the host.
    pub from: &'static str,
    /// The pass that waits.
    pub to: &'static str,
    /// What would go wrong.
    pub hazards: Vec<Hazard>,
}

impl Conflict {
    /// Whether the producer belongs to the previous frame, or to the previous step of the same frame, whose passes are
    /// `nodes`.
    pub fn is_from_before(&self, nodes: &[&str]) -> bool {
        let [from, to] = [self.producer, self.consumer].map(|party| place(nodes, party));
        self.across_frames || (from.is_some() && from >= to)
    }
}

/// The arrows of the dependency `name`, which prevents these `conflicts`, in the order of the frame.
pub fn arrows<'a>(frame: &Journal, conflicts: impl IntoIterator<Item = &'a Conflict>, name: &str) -> Vec<Arrow> {
    let nodes = nodes(frame);
    let mut known: BTreeMap<_, Vec<Hazard>> = BTreeMap::new();
    for conflict in conflicts {
        if conflict.consumer == name {
            continue; // its own change of layout
        }
        let (from, before) = match place(&nodes, conflict.producer) {
            Some(_) => (conflict.producer, conflict.is_from_before(&nodes)),
            // No pass produces a wrong layout: the arrow starts at the last user of the image.
            None => last_user(frame, conflict.resource, name),
        };
        let hazards = known.entry((before, from, conflict.consumer)).or_default();
        if !hazards.contains(&conflict.hazard) {
            hazards.push(conflict.hazard);
        }
    }
    let arrow = |((from_before, from, to), hazards)| Arrow { from_before, from, to, hazards };
    let mut arrows: Vec<Arrow> = known.into_iter().map(arrow).collect();
    arrows.sort_by_key(|arrow| (!arrow.from_before, place(&nodes, arrow.from), place(&nodes, arrow.to)));
    arrows
}

/// What happens in the frame, each pass once.
pub fn nodes(frame: &Journal) -> Vec<&'static str> {
    let mut nodes: Vec<&'static str> = Vec::new();
    for entry in &frame.entries {
        let node = match entry {
            JournalEntry::Pass(pass) => pass.name,
            JournalEntry::Present { .. } => PRESENT,
            JournalEntry::HostRead { .. } => HOST,
            _ => continue,
        };
        if !nodes.contains(&node) {
            nodes.push(node);
        }
    }
    nodes
}

fn place(nodes: &[&str], node: &str) -> Option<usize> {
    nodes.iter().position(|known| *known == node)
}

/// The last pass to use `resource` before the dependency `name`, and whether it is in the previous frame.
fn last_user(frame: &Journal, resource: Resource, name: &str) -> (&'static str, bool) {
    let is_it = |entry: &JournalEntry| matches!(entry, JournalEntry::Dependency(of) if of.name == name);
    let here = frame.entries.iter().position(is_it);
    let (before, after) = frame.entries.split_at(here.unwrap_or(0));
    let user = |entries: &[JournalEntry]| {
        entries.iter().rev().find_map(|entry| match entry {
            JournalEntry::Pass(pass) if pass.uses.iter().any(|of| of.resource == resource) => Some(pass.name),
            JournalEntry::Present { image } if *image == resource => Some(PRESENT),
            _ => None,
        })
    };
    match user(before) {
        Some(pass) => (pass, false),
        None => (user(after).unwrap_or(PRESENT), true),
    }
}
