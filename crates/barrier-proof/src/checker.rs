//! An independent checker of a frame's synchronization. It reads journals, and does not use the validation layer.
//!
//! The model is one queue and the frames in flight on it, in submission order. For any two accesses to the same
//! resource of which one writes, it requires what the specification's memory model does (appendix "Memory Model",
//! *Location-Ordered*), with barriers as the only source of order:
//!
//! * after a read, a write must *happen after* it: a chain of dependencies leads from one to the other;
//! * after a write, a write must happen after the first was made *available* by a dependency whose first access scope
//!   includes it;
//! * after a write, a read must also find it *visible*: the second access scope of a later dependency of the chain
//!   includes it.
//!
//! For a write directly after a write it requires visibility too, because the chapter on synchronization requires
//! values to be visible to an access that overwrites them. And an image must have the layout that an access needs; a
//! layout transition is itself a write, available immediately, between the two scopes of its barrier. The transitions
//! of an image are in order among themselves, and a barrier with two equal layouts has none.
//!
//! In order without a barrier are the accesses of one rendering to its attachments, and what is ordered by the
//! semaphores of acquire and present, and by the fence before a host read.
//!
//! An image barrier orders execution for everything, but memory for that image only. Accesses to parts of a resource
//! that do not meet need no order.

use super::events::{Barrier, Event, NO_PASS, SingleAccess, flatten};
use super::layouts::layouts;
use crate::{Access, Conflict, Hazard, Journal, JournalEntry, Part, Resource, Stage, Use, stages};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    let index = Index::new(events);
    for (at, event) in events.iter().enumerate() {
        let first = match event {
            Event::Access(access) => vec![Follower::of(access)],
            Event::Barriers(barriers) => barriers.iter().filter_map(Follower::of_transition).collect(),
            Event::Dropped { .. } => continue,
        };
        for mut first in first {
            let Some(of) = index.of.get(&first.resource) else { continue };
            first.follow(index.after(at + 1, of, of.changes), &own, Until::Settled(of), &mut found);
        }
    }
}

/// What comes of these followers and of the accesses in these events: those of which a later access may be too early.
/// `own` are resources of which each frame in flight has its own.
pub(super) fn go_on(
    followers: Vec<Follower>,
    events: &[Event],
    own: &BTreeSet<Resource>,
    mut found: impl FnMut(Conflict),
) -> Vec<Follower> {
    let (index, nothing) = (Index::new(events), Accessed::default());
    let of_event = |(at, event): (usize, &Event)| match event {
        Event::Access(access) => vec![(at + 1, Follower::of(access))],
        Event::Barriers(all) => {
            all.iter().filter_map(Follower::of_transition).map(|follower| (at + 1, follower)).collect()
        }
        Event::Dropped { .. } => Vec::new(),
    };
    let new = events.iter().enumerate().flat_map(of_event);
    let mut open = |(from, mut first): (usize, Follower)| {
        let of = index.of.get(&first.resource).unwrap_or(&nothing);
        let all = index.after(from, of, true);
        first.follow(all, own, Until::Overwritten, &mut |_, _, conflict| found(conflict)).then_some(first)
    };
    followers.into_iter().map(|follower| (0, follower)).chain(new).filter_map(&mut open).collect()
}

/// The events that can matter to each resource.
struct Index<'a> {
    events: &'a [Event],
    /// The places of barriers.
    barriers: Vec<usize>,
    of: HashMap<Resource, Accessed>,
}

/// A resource in these events.
#[derive(Default)]
struct Accessed {
    /// The places of its accesses.
    places: Vec<usize>,
    /// Its accesses, each kind once.
    kinds: Vec<Use>,
    /// Whether its layout changes.
    changes: bool,
}

impl<'a> Index<'a> {
    fn new(events: &'a [Event]) -> Self {
        let (mut barriers, mut of) = (Vec::new(), HashMap::<Resource, Accessed>::new());
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Access(access) => {
                    let accessed = of.entry(access.single.resource).or_default();
                    accessed.places.push(at);
                    let kind = Use { layout: None, part: Part::WHOLE, ..access.single };
                    if !accessed.kinds.contains(&kind) {
                        accessed.kinds.push(kind);
                    }
                }
                Event::Barriers(all) => {
                    barriers.push(at);
                    for image in all.iter().filter_map(|barrier| Some(barrier.transition.as_ref()?.image)) {
                        of.entry(image).or_default().changes = true;
                    }
                }
                Event::Dropped { .. } => {}
            }
        }
        Index { events, barriers, of }
    }

    /// The barriers and the accesses to a resource from a place on, in order; barriers after the last access only
    /// `to_the_end`.
    fn after(&'a self, place: usize, accessed: &'a Accessed, to_the_end: bool) -> impl Iterator<Item = &'a Event> {
        let rest = |all: &'a [usize]| all[all.partition_point(|&at| at < place)..].iter().copied().peekable();
        let (mut barriers, mut accesses) = (rest(&self.barriers), rest(&accessed.places));
        std::iter::from_fn(move || {
            let next = match (barriers.peek(), accesses.peek()) {
                (Some(barrier), Some(access)) if barrier < access => barriers.next(),
                (_, Some(_)) => accesses.next(),
                (Some(_), None) if to_the_end => barriers.next(),
                _ => None,
            };
            next.map(|at| &self.events[at])
        })
    }
}

/// Submissions ago beyond which they are not told apart.
const MOST_IN_FLIGHT: usize = 64;

/// How far an access is followed.
#[derive(Clone, Copy)]
enum Until<'a> {
    /// Until whatever may come of these accesses is in order with it.
    Settled(&'a Accessed),
    /// Until a write of all of it is in order after it: what is in order with that write is so with it, too.
    Overwritten,
}

/// An access, and the effect of the barriers after it so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Follower {
    name: &'static str,
    /// Among the passes; none for a transition, and in earlier submissions.
    place: Option<usize>,
    pub(super) frame: usize,
    pub(super) resource: Resource,
    part: Part,
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
    /// Whether another access or transition of an earlier submission was in order after it.
    succeeded: bool,
}

impl Follower {
    fn of(access: &SingleAccess) -> Self {
        Follower {
            name: access.pass.0,
            place: Some(access.pass.1),
            frame: access.frame,
            resource: access.single.resource,
            part: access.single.part,
            writes: access.single.writes(),
            rendering: access.rendering.filter(|_| access.single.is_attachment()),
            at: (access.single.stage, access.single.access),
            after: Stage::NONE,
            available: Stage::NONE,
            visible: Vec::new(),
            succeeded: false,
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
            part: Part::WHOLE,
            writes: true,
            rendering: None,
            at: (stages::TRANSITION, Access::NONE),
            after,
            available: after,
            visible: vec![(stages::each(barrier.masks.dst_stage), barrier.masks.dst_access)],
            succeeded: false,
        })
    }

    /// Applies a barrier, given that the access was in order before stages `after` and available before stages
    /// `available`. Returns whether it was in order before the barrier: happened before, and available if it is a
    /// write.
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

    /// Whether a later access to the same resource needs a dependency, and is not ordered by rasterization or within a
    /// pass.
    fn meets(&self, then: &SingleAccess, own: &BTreeSet<Resource>) -> bool {
        let another_frames_own = self.frame != then.frame && own.contains(&self.resource);
        let one_pass = self.place == Some(then.pass.1);
        let one_rendering = self.rendering.is_some()
            && (self.frame, self.rendering) == (then.frame, then.rendering)
            && then.single.is_attachment();
        !another_frames_own && !one_pass && !one_rendering
    }

    /// The hazard between this and a later access. `succeeded` means that another access or layout transition between
    /// the two was in order after this one, so a write must be in order only after that one.
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

    /// Finds the later accesses that conflict with it. Returns whether accesses after all of these may, too.
    fn follow<'e>(
        &mut self,
        events: impl Iterator<Item = &'e Event>,
        own: &BTreeSet<Resource>,
        until: Until<'_>,
        found: &mut impl FnMut(usize, usize, Conflict),
    ) -> bool {
        let from = self.place.unwrap_or(NO_PASS);
        // Since this: the first access in order after it; whether the resource was written; the first pass that
        // accessed it.
        let (mut successor, mut written, mut accessed) = (self.succeeded.then_some(NO_PASS), false, None);
        for event in events {
            let mut overwritten = false;
            match event {
                Event::Barriers(barriers) => {
                    let before = (self.after, self.available);
                    for barrier in barriers {
                        let in_order = self.pass(barrier, before);
                        if barrier.transition.as_ref().is_none_or(|change| change.image != self.resource) {
                            continue;
                        }
                        if in_order {
                            successor.get_or_insert(NO_PASS);
                            overwritten = true;
                        } else {
                            let hazard = if self.writes { Hazard::Waw } else { Hazard::War };
                            let direct = !written && (!self.writes || accessed.is_none());
                            found(from, NO_PASS, self.conflict(hazard, barrier.name, barrier.frame, direct));
                        }
                        written = true;
                    }
                }
                Event::Access(then) if self.part.meets(then.single.part) => {
                    let whole = then.single.part.covers(self.part);
                    if self.meets(then, own) {
                        // A pass does not order its own writes by its reads.
                        let succeeded = successor.is_some_and(|place| place != then.pass.1);
                        match self.hazard(&then.single, succeeded) {
                            Some(hazard) => {
                                let next = hazard != Hazard::Waw || accessed.is_none_or(|by| by == then.pass.1);
                                let conflict = self.conflict(hazard, then.pass.0, then.frame, !written && next);
                                found(from, then.pass.1, conflict);
                            }
                            None if whole => {
                                successor.get_or_insert(then.pass.1);
                                // What a rendering draws after it is in order with that write without a barrier.
                                overwritten = then.single.writes() && !then.single.is_attachment();
                            }
                            None => {}
                        }
                    }
                    written |= then.single.writes();
                    accessed.get_or_insert(then.pass.1);
                    if let Until::Settled(of) = until {
                        // In order with whatever may come.
                        let settled = |kind: &Use| self.hazard(kind, true).is_none();
                        let another = successor.is_some_and(|place| place != then.pass.1);
                        if another && !of.changes && of.kinds.iter().all(settled) {
                            return false;
                        }
                    }
                }
                Event::Access(_) | Event::Dropped { .. } => {}
            }
            if overwritten && matches!(until, Until::Overwritten) {
                return false;
            }
        }
        self.succeeded = successor.is_some();
        true
    }

    /// The same one submission later, in one form for all that act alike from here on.
    pub(super) fn later(mut self) -> Self {
        (self.place, self.rendering, self.frame) = (None, None, (self.frame + 1).min(MOST_IN_FLIGHT));
        let bits = |mask: u64| (0..64).map(|bit| 1u64 << bit).filter(move |bit| mask & bit != 0);
        let mut visible: BTreeMap<Stage, Access> = BTreeMap::new();
        for (stages, access) in self.visible {
            bits(stages.as_raw()).for_each(|bit| *visible.entry(Stage::from_raw(bit)).or_default() |= access);
        }
        Follower { visible: visible.into_iter().collect(), ..self }
    }

    /// Whether it is of the display, which no fence waits for.
    pub(super) fn is_of_display(&self) -> bool {
        self.at.0 == stages::DISPLAY
    }

    /// Whether all that is in order with `other`, one of the same access that is done no earlier, is so with this. Both
    /// are [`Self::later`].
    pub(super) fn asks_less_than(&self, other: &Follower) -> bool {
        let kind = |of: &Follower| (of.name, of.resource, of.part, of.writes, of.at);
        let sees = |&(stage, access): &(Stage, Access)| {
            self.visible.iter().any(|&(own, to)| own == stage && to.contains(access))
        };
        kind(self) == kind(other)
            && self.frame >= other.frame
            && self.after.contains(other.after)
            && self.available.contains(other.available)
            && (self.succeeded || !other.succeeded)
            && other.visible.iter().all(sees)
    }
}

fn covers(mask: Access, access: Access) -> bool {
    stages::each_access(mask).intersects(access)
}

#[cfg(test)]
mod tests;
