//! The events of frames in flight, in order: accesses, split into single ones, and barriers.

use crate::stages::{self, DISPLAY, DISPLAY_READ, TRANSITION};
use crate::{Access, Attachment, HOST, Journal, JournalEntry, Layout, Masks, PRESENT, Part, Resource, Stage, Use};
use ash::vk;

/// The place of a layout transition among the passes.
pub(super) const NO_PASS: usize = usize::MAX;

/// One access of one kind in one stage.
#[derive(Clone, Copy)]
pub(super) struct SingleAccess {
    /// The pass, and its place among all passes of all frames.
    pub(super) pass: (&'static str, usize),
    pub(super) frame: usize,
    pub(super) rendering: Option<u32>,
    pub(super) single: Use,
}

/// A dependency, or a semaphore or fence in the form of one.
pub(super) struct Barrier {
    pub(super) name: &'static str,
    pub(super) frame: usize,
    pub(super) masks: Masks,
    /// The only image whose memory it covers.
    pub(super) image: Option<Resource>,
    pub(super) transition: Option<Transition>,
    /// The only resource whose accesses it orders.
    pub(super) only: Option<Resource>,
}

impl Barrier {
    /// What happens before it and after it, of the accesses to a resource. Layout transitions of one image are in order
    /// among themselves.
    pub(super) fn scopes(&self, resource: Resource) -> (Stage, Stage) {
        let changes = self.transition.as_ref().is_some_and(|change| change.image == resource);
        let transitions = if changes { TRANSITION } else { Stage::NONE };
        (stages::and_earlier(self.masks.src_stage) | transitions, stages::and_later(self.masks.dst_stage) | transitions)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Transition {
    pub(super) image: Resource,
    pub(super) old: Layout,
    pub(super) new: Layout,
}

pub(super) enum Event {
    Access(SingleAccess),
    /// The barriers of one command, which do not chain with each other.
    Barriers(Vec<Barrier>),
    /// A rendering drops what is in an attachment, as it begins or ends.
    Dropped {
        image: Resource,
        by: &'static str,
        frame: usize,
    },
}

/// The entries of all frames in sequence, with uses split, and with semaphores and fences as barriers.
pub(super) fn flatten(frames: &[Journal]) -> Vec<Event> {
    let mut events = Vec::new();
    for (frame, journal) in frames.iter().enumerate() {
        // A wait for a semaphore delays the whole submission.
        for entry in &journal.entries {
            if let JournalEntry::Acquire { image, stage } = entry {
                events.push(beside(frame, *image, (DISPLAY, Access::NONE), (*stage, stages::MEMORY)));
            }
        }
        // Start of the current command's barriers.
        let mut command = events.len();
        for (at, entry) in journal.entries.iter().enumerate() {
            let drop = |(image, by)| Event::Dropped { image, by, frame };
            events.extend(dropped(journal, at, true).into_iter().map(drop));
            if !matches!(entry, JournalEntry::Dependency(dependency) if dependency.same_command) {
                command = events.len();
            }
            flatten_entry(&mut events, frame, entry, command);
            events.extend(dropped(journal, at, false).into_iter().map(drop));
        }
    }
    events
}

/// What the rendering of a pass drops before it, or after it.
fn dropped(journal: &Journal, at: usize, before: bool) -> Vec<(Resource, &'static str)> {
    let JournalEntry::Pass(pass) = &journal.entries[at] else { return Vec::new() };
    let rendering = |of: &JournalEntry| if let JournalEntry::Pass(pass) = of { pass.rendering } else { None };
    let same = |other: &JournalEntry| pass.rendering.is_some() && rendering(other) == pass.rendering;
    let (earlier, later) = (&journal.entries[..at], &journal.entries[at + 1..]);
    let drops = |of: &&Attachment| match before {
        true => of.load == vk::AttachmentLoadOp::DONT_CARE && !earlier.iter().any(same),
        false => of.store == vk::AttachmentStoreOp::DONT_CARE && !later.iter().any(same),
    };
    pass.attachments.iter().filter(drops).map(|of| (of.image, pass.name)).collect()
}

pub(super) fn flatten_entry(events: &mut Vec<Event>, frame: usize, entry: &JournalEntry, command: usize) {
    let place = events.len();
    let all = (stages::ALL, stages::MEMORY);
    let outside = |pass, single| Event::Access(SingleAccess { pass: (pass, place), frame, rendering: None, single });
    match entry {
        JournalEntry::Acquire { .. } => {}
        JournalEntry::Pass(pass) => {
            let mut singles: Vec<Use> = pass.uses.iter().flat_map(self::singles).collect();
            // A pass reads before it writes.
            singles.sort_by_key(Use::writes);
            events.extend(singles.into_iter().map(|single| {
                Event::Access(SingleAccess { pass: (pass.name, place), frame, rendering: pass.rendering, single })
            }));
        }
        JournalEntry::Dependency(dependency) if dependency.omitted => {}
        JournalEntry::Dependency(dependency) => {
            let image = dependency.layouts.map(|_| dependency.guards[0]);
            // Equal layouts are ignored.
            let layouts = dependency.layouts.filter(|(old, new)| old != new);
            let transition = image.zip(layouts).map(|(image, (old, new))| Transition { image, old, new });
            let (name, masks) = (dependency.name, dependency.masks);
            let barrier = Barrier { name, frame, masks, image, transition, only: None };
            match events.get_mut(command) {
                Some(Event::Barriers(barriers)) => barriers.push(barrier),
                _ => events.push(Event::Barriers(vec![barrier])),
            }
        }
        JournalEntry::Present { image } => {
            // The semaphore that presentation waits for is signaled after all commands, and so after their transitions:
            // the one to the display needs no second scope (`VkPresentInfoKHR`).
            let commands = (stages::ALL | TRANSITION, stages::MEMORY);
            events.push(beside(frame, *image, commands, (DISPLAY, DISPLAY_READ)));
            let layout = Some(Layout::PRESENT_SRC_KHR);
            let (stage, access, part) = (DISPLAY, DISPLAY_READ, Part::WHOLE);
            events.push(outside(PRESENT, Use { resource: *image, stage, access, layout, part }));
        }
        JournalEntry::HostRead { buffer } => {
            // A fence orders, and makes writes available, but nothing visible to the host.
            events.push(beside(frame, *buffer, all, (Stage::HOST, Access::NONE)));
            let (stage, access, part) = (Stage::HOST, Access::HOST_READ, Part::WHOLE);
            let read = Use { resource: *buffer, stage, access, layout: None, part };
            events.push(outside(HOST, read));
        }
    }
}

/// A semaphore or a fence as a barrier for `resource`.
pub(super) fn beside(frame: usize, resource: Resource, source: (Stage, Access), destination: (Stage, Access)) -> Event {
    let ((src_stage, src_access), (dst_stage, dst_access)) = (source, destination);
    let masks = Masks { src_stage, src_access, dst_stage, dst_access };
    Event::Barriers(vec![Barrier { name: "", frame, masks, image: None, transition: None, only: Some(resource) }])
}

/// A use, split into single stages and single accesses.
pub(super) fn singles(of: &Use) -> Vec<Use> {
    let each = |raw: u64| (0..64).map(|bit| 1u64 << bit).filter(move |bit| raw & bit != 0);
    let (stages, accesses) = (of.stage.as_raw(), of.access.as_raw());
    each(stages)
        .flat_map(|stage| each(accesses).map(move |access| (Stage::from_raw(stage), Access::from_raw(access))))
        .map(|(stage, access)| Use { stage, access, ..*of })
        .collect()
}
