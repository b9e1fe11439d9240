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
//! a write, available immediately, between the two scopes of its barrier.
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
    /// The stage and the access itself; none for a layout transition, which belongs to no stage.
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
        let after = stages::and_later(barrier.masks.dst_stage);
        Some(Follower {
            name: barrier.name,
            place: None,
            frame: barrier.frame,
            resource: transition.image,
            writes: true,
            rendering: None,
            at: (Stage::NONE, Access::NONE),
            after,
            available: after,
            visible: vec![(barrier.masks.dst_stage, barrier.masks.dst_access)],
        })
    }

    /// Applies a barrier, given that the access was in order before stages `after` and available before stages `available`. Returns
    /// whether it was in order before the barrier: happened before, and available if it is a write.
    fn pass(&mut self, barrier: &Barrier, (after, available): (Stage, Stage)) -> bool {
        if barrier.only.is_some_and(|only| only != self.resource) {
            return false;
        }
        let masks = &barrier.masks;
        let scope = stages::and_earlier(masks.src_stage);
        if !scope.intersects(self.at.0) && !scope.intersects(after) {
            return false;
        }
        self.after |= stages::and_later(masks.dst_stage);
        let (stage, access) = self.at;
        let holds_memory = barrier.transition.as_ref().is_none_or(|change| change.image == self.resource);
        let made_available =
            holds_memory && stages::each(masks.src_stage).intersects(stage) && covers(masks.src_access, access);
        let in_order = !self.writes || made_available || available.intersects(scope);
        if in_order {
            self.available |= stages::and_later(masks.dst_stage);
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
mod tests {
    use super::*;
    use crate::vk::{DependencyEntry, Layout, Masks, PassEntry};

    const COMPUTE: Stage = Stage::COMPUTE_SHADER;
    const STORAGE_WRITE: Access = Access::SHADER_STORAGE_WRITE;
    const STORAGE_READ: Access = Access::SHADER_STORAGE_READ;

    fn journal(entries: Vec<JournalEntry>) -> Journal {
        Journal { entries, ..Journal::default() }
    }

    fn pass(name: &'static str, uses: &[Use]) -> JournalEntry {
        JournalEntry::Pass(PassEntry { name, uses: uses.to_vec(), rendering: None, dispatches: 1 })
    }

    fn barrier(source: (Stage, Access), destination: (Stage, Access)) -> JournalEntry {
        let masks =
            Masks { src_stage: source.0, src_access: source.1, dst_stage: destination.0, dst_access: destination.1 };
        JournalEntry::Dependency(DependencyEntry { name: "barrier", masks, ..DependencyEntry::default() })
    }

    /// A barrier with a layout transition of the image.
    fn transition(layouts: (Layout, Layout), of: JournalEntry) -> JournalEntry {
        let JournalEntry::Dependency(entry) = of else { unreachable!("it is one") };
        let (guards, layouts) = (vec!["image"], Some(layouts));
        JournalEntry::Dependency(DependencyEntry { name: "transition", guards, layouts, ..entry })
    }

    fn hazards(entries: Vec<JournalEntry>) -> Vec<Hazard> {
        check(&[journal(entries)]).into_iter().map(|conflict| conflict.hazard).collect()
    }

    fn writer() -> JournalEntry {
        pass("writer", &[Use::write(COMPUTE, "buffer")])
    }

    fn reader() -> JournalEntry {
        pass("reader", &[Use::read(COMPUTE, "buffer")])
    }

    #[test]
    fn a_read_after_a_write_needs_all_four_masks() {
        let full = ((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ));
        let none = (Stage::NONE, Access::NONE);
        let with = |(source, destination)| hazards(vec![writer(), barrier(source, destination), reader()]);
        assert_eq!(with(full), []);
        assert_eq!(with((none, full.1)), [Hazard::Raw]);
        assert_eq!(with(((COMPUTE, Access::NONE), full.1)), [Hazard::Raw]);
        assert_eq!(with(((COMPUTE, STORAGE_READ), full.1)), [Hazard::Raw]);
        assert_eq!(with((full.0, none)), [Hazard::Raw]);
        assert_eq!(with((full.0, (COMPUTE, Access::NONE))), [Hazard::Raw]);
        assert_eq!(with((full.0, (Stage::VERTEX_SHADER, STORAGE_READ))), [Hazard::Raw]);
        // DRAW_INDIRECT is logically earlier than the read, so the read waits; but nothing is made visible to it.
        assert_eq!(with((full.0, (Stage::DRAW_INDIRECT, STORAGE_READ))), [Hazard::Raw]);
        assert_eq!(hazards(vec![writer(), reader()]), [Hazard::Raw]);
        assert_eq!(hazards(vec![reader(), reader()]), []);
    }

    #[test]
    fn a_write_after_a_read_needs_order_only() {
        let order = barrier((COMPUTE, Access::NONE), (COMPUTE, Access::NONE));
        assert_eq!(hazards(vec![reader(), order, writer()]), []);
        assert_eq!(hazards(vec![reader(), writer()]), [Hazard::War]);
        let elsewhere = barrier((Stage::COPY, Access::NONE), (COMPUTE, Access::NONE));
        assert_eq!(hazards(vec![reader(), elsewhere, writer()]), [Hazard::War]);
    }

    #[test]
    fn a_write_right_after_a_write_needs_to_see_it() {
        let again = || pass("again", &[Use::write(COMPUTE, "buffer")]);
        let with = |access| hazards(vec![writer(), barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, access)), again()]);
        assert_eq!(with(STORAGE_WRITE), []);
        assert_eq!(with(STORAGE_READ), [Hazard::Waw]);
        // If a reader between them sees the first write, order after the reader is sufficient.
        let seen = barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ));
        let order = barrier((COMPUTE, Access::NONE), (COMPUTE, Access::NONE));
        assert_eq!(hazards(vec![writer(), seen, reader(), order, again()]), []);
    }

    #[test]
    fn dependencies_make_chains_unless_they_are_in_one_command() {
        let first = || barrier((COMPUTE, STORAGE_WRITE), (Stage::CLEAR, Access::NONE));
        let second = || barrier((Stage::CLEAR, Access::NONE), (COMPUTE, STORAGE_READ));
        assert_eq!(hazards(vec![writer(), first(), second(), reader()]), []);
        assert_eq!(hazards(vec![writer(), second(), first(), reader()]), [Hazard::Raw]);
        let JournalEntry::Dependency(entry) = second() else { unreachable!("it is one") };
        let same_command = JournalEntry::Dependency(DependencyEntry { same_command: true, ..entry });
        assert_eq!(hazards(vec![writer(), first(), same_command, reader()]), [Hazard::Raw]);
        // The chain is broken: nothing connects CLEAR with COPY.
        let broken = barrier((Stage::COPY, Access::NONE), (COMPUTE, STORAGE_READ));
        assert_eq!(hazards(vec![writer(), first(), broken, reader()]), [Hazard::Raw]);
    }

    #[test]
    fn a_barrier_for_an_image_orders_all_but_remembers_the_image_only() {
        let layouts = (Layout::UNDEFINED, Layout::TRANSFER_SRC_OPTIMAL);
        let full = || transition(layouts, barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ)));
        assert_eq!(hazards(vec![writer(), full(), reader()]), [Hazard::Raw]);
        assert_eq!(hazards(vec![reader(), full(), writer()]), []);
    }

    #[test]
    fn images_have_to_lie_in_the_layout_wanted() {
        let draw = || pass("draw", &[Use::color_write("image")]);
        let copy = || pass("copy", &[Use::copy_from_image("image")]);
        let color = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
        let to_draw = || {
            let layouts = (Layout::UNDEFINED, Layout::COLOR_ATTACHMENT_OPTIMAL);
            transition(layouts, barrier((Stage::COPY, Access::NONE), color))
        };
        let to_copy = |old| {
            let layouts = (old, Layout::TRANSFER_SRC_OPTIMAL);
            transition(layouts, barrier(color, (Stage::COPY, Access::TRANSFER_READ)))
        };
        let right = to_copy(Layout::COLOR_ATTACHMENT_OPTIMAL);
        assert_eq!(hazards(vec![to_draw(), draw(), right.clone(), copy(), to_draw(), draw()]), []);
        assert_eq!(hazards(vec![draw()]), [Hazard::Layout]);
        assert_eq!(hazards(vec![to_draw(), draw(), to_copy(Layout::GENERAL), copy()]), [Hazard::Layout]);
        // From UNDEFINED, it drops what was drawn.
        assert_eq!(hazards(vec![to_draw(), draw(), to_copy(Layout::UNDEFINED), copy()]), [Hazard::Layout]);
        // The transition itself must come after the write, and before the read.
        let early = transition(
            (Layout::COLOR_ATTACHMENT_OPTIMAL, Layout::TRANSFER_SRC_OPTIMAL),
            barrier((Stage::NONE, Access::NONE), (Stage::COPY, Access::TRANSFER_READ)),
        );
        assert!(hazards(vec![to_draw(), draw(), early, copy()]).contains(&Hazard::Waw));
    }

    #[test]
    fn the_host_and_the_display_wait_but_the_host_sees_nothing_by_itself() {
        let copy = || pass("copy", &[Use::copy_to("bytes")]);
        let read = || JournalEntry::HostRead { buffer: "bytes" };
        let to_host = || barrier((Stage::COPY, Access::TRANSFER_WRITE), (Stage::HOST, Access::HOST_READ));
        assert_eq!(hazards(vec![copy(), to_host(), read()]), []);
        assert_eq!(hazards(vec![copy(), read()]), [Hazard::Raw]);
        // Each frame has its own bytes.
        let frame = journal(vec![copy(), to_host(), read()]);
        assert!(check(&[frame.clone(), frame]).is_empty());
        let draw = pass("draw", &[Use::color_write("image")]);
        assert_eq!(hazards(vec![draw, JournalEntry::Present { image: "image" }]), [Hazard::Layout, Hazard::Layout]);
    }

    #[test]
    fn conflicts_reach_from_frame_to_frame() {
        let frame = journal(vec![writer()]);
        let found = check(&[frame.clone(), frame]);
        let conflict = found.first().expect("the writers race");
        assert_eq!(found.len(), 1);
        assert!(conflict.across_frames && conflict.direct);
        assert_eq!(conflict.to_string(), "WAW on buffer: writer of the previous frame → writer");
    }
}
