//! The layouts of images, from access to access.

use super::conflict::{Conflict, NOBODY, PRESENT};
use super::events::{Event, SingleAccess, Transition};
use crate::vk::{Hazard, Layout, Use};
use std::collections::{BTreeMap, BTreeSet};

/// Conflicts of images whose layout is not the one that an access needs, or whose contents a transition from `UNDEFINED` has dropped.
pub(super) fn layouts(events: &[Event]) -> BTreeSet<Conflict> {
    let mut conflicts = BTreeSet::new();
    // For each image: its layout, what changed it last and in which frame, and whether a conflict was already found.
    let mut current: BTreeMap<&'static str, (Layout, &'static str, usize, bool)> = BTreeMap::new();
    // The images that have contents, and for each whose contents were dropped and not written since: what dropped them.
    let mut written: BTreeSet<&'static str> = BTreeSet::new();
    let mut dropped: BTreeMap<&'static str, &'static str> = BTreeMap::new();
    for event in events {
        if let Event::Access(SingleAccess { pass, frame, single, .. }) = event {
            if single.writes() {
                dropped.remove(single.resource);
                written.insert(single.resource);
            } else if let Some(&producer) = dropped.get(single.resource) {
                let (hazard, resource, consumer) = (Hazard::Layout, single.resource, pass.0);
                let across_frames = current.get(resource).is_some_and(|of| of.2 != *frame);
                conflicts.insert(Conflict { hazard, resource, producer, consumer, across_frames, direct: true });
            }
        }
        // For each access: image, layout needed, consumer, frame, and new layout.
        let wants: Vec<_> = match event {
            Event::Access(SingleAccess { pass, frame, single: Use { resource, layout: Some(layout), .. }, .. }) => {
                vec![(*resource, *layout, pass.0, *frame, None)]
            }
            Event::Access(_) => continue,
            Event::Barriers(barriers) => barriers
                .iter()
                .filter_map(|barrier| {
                    let Transition { image, old, new } = *barrier.transition.as_ref()?;
                    Some((image, old, barrier.name, barrier.frame, Some(new)))
                })
                .collect(),
        };
        for (resource, wanted, consumer, frame, new) in wants {
            let known = current.entry(resource).or_insert((Layout::UNDEFINED, NOBODY, frame, false));
            let (is, producer, then, astray) = *known;
            if wanted != is && wanted != Layout::UNDEFINED {
                let (hazard, across_frames, direct) = (Hazard::Layout, then != frame, !astray);
                conflicts.insert(Conflict { hazard, resource, producer, consumer, across_frames, direct });
                known.3 = true;
            }
            if new.is_some() && wanted == Layout::UNDEFINED && written.remove(resource) {
                dropped.insert(resource, consumer);
            }
            match new {
                Some(new) => *known = (new, consumer, frame, false),
                // After this, the display owns the image.
                None if consumer == PRESENT => (known.1, known.2) = (consumer, frame),
                None => {}
            }
        }
    }
    conflicts
}
