//! The layouts of images, from access to access.

use super::events::{Event, SingleAccess, Transition};
use crate::{Conflict, Hazard, Layout, NOBODY, PRESENT, Resource, Use};
use std::collections::{BTreeMap, BTreeSet};

/// Conflicts of images whose layout is not the one that an access needs, or whose contents were dropped: by a
/// transition from `UNDEFINED`, or by `DONT_CARE` as a rendering begins or ends.
pub(super) fn layouts(events: &[Event]) -> BTreeSet<Conflict> {
    Layouts::default().go_on(events)
}

/// What is known of images after some events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layouts {
    /// For each image: its layout, what changed it last and in which frame, and whether a conflict was already found.
    current: BTreeMap<Resource, (Layout, &'static str, usize, bool)>,
    /// The images that have contents.
    written: BTreeSet<Resource>,
    /// For each image whose contents were dropped and not written since: what dropped them.
    dropped: BTreeMap<Resource, &'static str>,
    /// Whether there were events that are not known: the layouts of other images are not, either.
    pub(super) unknown: bool,
}

impl Layouts {
    /// An image is new.
    pub(super) fn made(&mut self, image: Resource) {
        self.current.remove(&image);
        self.written.remove(&image);
        self.dropped.remove(&image);
        if self.unknown {
            self.current.insert(image, (Layout::UNDEFINED, NOBODY, 0, false));
        }
    }

    /// All events so far are of earlier frames than those that follow.
    pub(super) fn later(&mut self) {
        self.current.values_mut().for_each(|known| known.2 = usize::MAX);
    }

    /// The conflicts in further events.
    pub(super) fn go_on(&mut self, events: &[Event]) -> BTreeSet<Conflict> {
        let mut conflicts = BTreeSet::new();
        let Layouts { current, written, dropped, unknown } = self;
        for event in events {
            if let Event::Access(SingleAccess { pass, frame, single, .. }) = event {
                if single.writes() {
                    dropped.remove(&single.resource);
                    written.insert(single.resource);
                } else if let Some(&producer) = dropped.get(&single.resource) {
                    let (hazard, resource, consumer) = (Hazard::Layout, single.resource, pass.0);
                    let across_frames = current.get(&resource).is_some_and(|of| of.2 != *frame);
                    conflicts.insert(Conflict { hazard, resource, producer, consumer, across_frames, direct: true });
                }
            }
            if let Event::Dropped { image, by, frame } = event {
                if written.remove(image) {
                    dropped.insert(*image, by);
                    if let Some(known) = current.get_mut(image) {
                        known.2 = *frame;
                    }
                }
                continue;
            }
            // For each access: image, layout needed, consumer, frame, and new layout.
            let wants: Vec<_> = match event {
                Event::Access(SingleAccess {
                    pass, frame, single: Use { resource, layout: Some(layout), .. }, ..
                }) => {
                    vec![(*resource, *layout, pass.0, *frame, None)]
                }
                Event::Access(_) | Event::Dropped { .. } => continue,
                Event::Barriers(barriers) => barriers
                    .iter()
                    .filter_map(|barrier| {
                        let Transition { image, old, new } = *barrier.transition.as_ref()?;
                        Some((image, old, barrier.name, barrier.frame, Some(new)))
                    })
                    .collect(),
            };
            for (resource, wanted, consumer, frame, new) in wants {
                let first = if *unknown { wanted } else { Layout::UNDEFINED };
                let known = current.entry(resource).or_insert((first, NOBODY, frame, false));
                let (is, producer, then, astray) = *known;
                if wanted != is && wanted != Layout::UNDEFINED {
                    let (hazard, across_frames, direct) = (Hazard::Layout, then != frame, !astray);
                    conflicts.insert(Conflict { hazard, resource, producer, consumer, across_frames, direct });
                    known.3 = true;
                }
                if new.is_some() && wanted == Layout::UNDEFINED && written.remove(&resource) {
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
}
