//! An independent checker of a frame's synchronization. It reads journals, and does not use the validation layer.
//!
//! The model is one queue and the frames in flight on it, in submission order. For any two accesses to the same
//! resource of which one writes, it requires what the specification's memory model does (appendix "Memory Model",
//! *Location-Ordered*), with barriers as the only source of order:
//!
//! * after a read, a write must *happen after* it: a chain of dependencies leads from one to the other;
//! * after a write, a write must happen after the first was made *available* by a dependency whose first access scope
//!   includes it;
//! * after a write, a read must also find it *visible*: the second access scope of a later dependency of the chain includes it.
//!
//! For a write directly after a write it requires visibility too, because the chapter on synchronization requires values to be
//! visible to an access that overwrites them. And an image must have the layout that an access needs; a layout transition is itself
//! a write, available immediately, between the two scopes of its barrier. The transitions of an image are in order among
//! themselves, and a barrier with two equal layouts has none.
//!
//! In order without a barrier are the accesses of one rendering to its attachments, and what is ordered by the semaphores of
//! acquire and present, and by the fence before a host read.
//!
//! An image barrier orders execution for everything, but memory for that image only. Ranges are not modeled: every access is to the
//! whole resource.

use super::conflict::Conflict;
use super::events::{Barrier, Event, NO_PASS, SingleAccess, flatten};
use super::layouts::layouts;
use crate::vk::{Access, Hazard, Journal, JournalEntry, Stage, Use, stages};
use std::collections::BTreeSet;

/// The conflicts in these frames, submitted in sequence without a wait between them.
pub fn check(frames: &[Journal]) -> BTreeSet<Conflict> {
    let events = flatten(frames);
    let mut conflicts = layouts(&events);
    each_conflict(frames, &events, |_, _, conflict| {
        conflicts.insert(conflict);
    });
    conflicts
}

/// Calls `found` with each conflict of accesses, and with the places of its parties among the passes, or [`NO_PASS`].
pub(super) fn each_conflict(frames: &[Journal], events: &[Event], mut found: impl FnMut(usize, usize, Conflict)) {
    // Each frame in flight has its own buffer for the host.
    let entries = frames.iter().flat_map(|journal| &journal.entries);
    let own = entries
        .filter_map(|entry| match entry {
            JournalEntry::HostRead { buffer } => Some(*buffer),
            _ => None,
        })
        .collect();
    for (at, event) in events.iter().enumerate() {
        let first = match event {
            Event::Access(access) => vec![Follower::of(access)],
            Event::Barriers(barriers) => barriers.iter().filter_map(Follower::of_transition).collect(),
        };
        for first in first {
            follow(first, &events[at + 1..], &own, &mut found);
        }
    }
}

/// An access, and the effect of the barriers after it so far.
struct Follower {
    name: &'static str,
    place: Option<usize>,
    frame: usize,
    resource: &'static str,
    writes: bool,
    rendering: Option<u32>,
    /// The stage and the access itself; for a layout transition, its bit and no access.
    at: (Stage, Access),
    /// Stages in which a later access happens after it.
    after: Stage,
    /// Stages in which a later access happens after it was made available.
    available: Stage,
    /// Accesses that it was made visible to.
    visible: Vec<(Stage, Access)>,
}

impl Follower {
    fn of(access: &SingleAccess) -> Self {
        Follower {
            name: access.pass.0,
            place: Some(access.pass.1),
            frame: access.frame,
            resource: access.single.resource,
            writes: access.single.writes(),
            rendering: access.rendering.filter(|_| access.single.is_attachment()),
            at: (access.single.stage, access.single.access),
            after: Stage::NONE,
            available: Stage::NONE,
            visible: Vec::new(),
        }
    }

    /// A barrier's layout transition, if it has one.
    fn of_transition(barrier: &Barrier) -> Option<Self> {
        let transition = barrier.transition.as_ref()?;
        let (_, after) = barrier.scopes(transition.image);
        Some(Follower {
            name: barrier.name,
            place: None,
            frame: barrier.frame,
            resource: transition.image,
            writes: true,
            rendering: None,
            at: (stages::TRANSITION, Access::NONE),
            after,
            available: after,
            visible: vec![(stages::each(barrier.masks.dst_stage), barrier.masks.dst_access)],
        })
    }

    /// Applies a barrier, given that the access was in order before stages `after` and available before stages `available`. Returns
    /// whether it was in order before the barrier: happened before, and available if it is a write.
    fn pass(&mut self, barrier: &Barrier, (after, available): (Stage, Stage)) -> bool {
        if barrier.only.is_some_and(|only| only != self.resource) {
            return false;
        }
        let masks = &barrier.masks;
        let (scope, later) = barrier.scopes(self.resource);
        if !scope.intersects(self.at.0) && !scope.intersects(after) {
            return false;
        }
        self.after |= later;
        let (stage, access) = self.at;
        let holds_memory = barrier.image.is_none_or(|image| image == self.resource);
        let made_available =
            holds_memory && stages::each(masks.src_stage).intersects(stage) && covers(masks.src_access, access);
        let in_order = !self.writes || made_available || available.intersects(scope);
        if in_order {
            self.available |= later;
            if holds_memory {
                self.visible.push((stages::each(masks.dst_stage), masks.dst_access));
            }
        }
        in_order
    }

    fn is_visible_to(&self, access: &Use) -> bool {
        self.visible.iter().any(|(stage, to)| stage.intersects(access.stage) && covers(*to, access.access))
    }

    /// Whether a later access to the same resource needs a dependency, and is not ordered by rasterization or within a pass.
    fn meets(&self, then: &SingleAccess, own: &BTreeSet<&'static str>) -> bool {
        let another_frames_own = self.frame != then.frame && own.contains(self.resource);
        let one_pass = self.place == Some(then.pass.1);
        let one_rendering = self.rendering.is_some()
            && (self.frame, self.rendering) == (then.frame, then.rendering)
            && then.single.is_attachment();
        !another_frames_own && !one_pass && !one_rendering
    }

    /// The hazard between this and a later access. `succeeded` means that another access or layout transition between the two was
    /// in order after this one, so a write must be in order only after that one.
    fn hazard(&self, then: &Use, succeeded: bool) -> Option<Hazard> {
        let (hazard, in_order) = match (self.writes, then.writes()) {
            (false, false) => return None,
            (false, true) => (Hazard::War, self.after.intersects(then.stage)),
            (true, writes) => {
                let visible = self.is_visible_to(then) || (writes && succeeded);
                let hazard = if writes { Hazard::Waw } else { Hazard::Raw };
                (hazard, self.available.intersects(then.stage) && visible)
            }
        };
        (!in_order).then_some(hazard)
    }

    fn conflict(&self, hazard: Hazard, consumer: &'static str, frame: usize, direct: bool) -> Conflict {
        let Follower { resource, name: producer, .. } = *self;
        Conflict { hazard, resource, producer, consumer, across_frames: self.frame != frame, direct }
    }
}

fn covers(mask: Access, access: Access) -> bool {
    stages::each_access(mask).intersects(access)
}

/// Finds the later accesses that conflict with `first`.
fn follow(
    mut first: Follower,
    rest: &[Event],
    own: &BTreeSet<&'static str>,
    found: &mut impl FnMut(usize, usize, Conflict),
) {
    let from = first.place.unwrap_or(NO_PASS);
    // Since `first`: the first access in order after it; whether the resource was written; the first pass that accessed it.
    let (mut successor, mut written, mut accessed) = (None, false, None);
    for event in rest {
        match event {
            Event::Barriers(barriers) => {
                let before = (first.after, first.available);
                for barrier in barriers {
                    let in_order = first.pass(barrier, before);
                    if barrier.transition.as_ref().is_none_or(|change| change.image != first.resource) {
                        continue;
                    }
                    if in_order {
                        successor.get_or_insert(NO_PASS);
                    } else {
                        let hazard = if first.writes { Hazard::Waw } else { Hazard::War };
                        let direct = !written && (!first.writes || accessed.is_none());
                        found(from, NO_PASS, first.conflict(hazard, barrier.name, barrier.frame, direct));
                    }
                    written = true;
                }
            }
            Event::Access(then) if first.resource == then.single.resource => {
                if first.meets(then, own) {
                    // A pass does not order its own writes by its reads.
                    let succeeded = successor.is_some_and(|place| place != then.pass.1);
                    match first.hazard(&then.single, succeeded) {
                        Some(hazard) => {
                            let next = hazard != Hazard::Waw || accessed.is_none_or(|by| by == then.pass.1);
                            let conflict = first.conflict(hazard, then.pass.0, then.frame, !written && next);
                            found(from, then.pass.1, conflict);
                        }
                        None => {
                            successor.get_or_insert(then.pass.1);
                        }
                    }
                }
                written |= then.single.writes();
                accessed.get_or_insert(then.pass.1);
            }
            Event::Access(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
