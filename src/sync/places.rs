//! Dependencies by the place that records them: one that is recorded twice under one name is found, although one of the two is needed.

use super::checker::check;
use crate::vk::{Journal, JournalEntry};
use std::collections::BTreeSet;
use std::fmt;

/// What records a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The dependency.
    pub name: &'static str,
    /// The line of source.
    pub site: (&'static str, u32),
    /// How many the same line records before it between two passes.
    pub nth: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { name, site: (file, line), nth } = self;
        write!(f, "{name}, recorded by {file}:{line}")?;
        if *nth > 0 { write!(f, " {} times in a row", nth + 1) } else { Ok(()) }
    }
}

/// The place of each dependency of a journal, in its order.
pub fn places(journal: &Journal) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut since = 0;
    for entry in &journal.entries {
        match entry {
            JournalEntry::Pass(_) => since = places.len(),
            JournalEntry::Dependency(dependency) => {
                let (name, site) =
                    (dependency.name, dependency.site.map_or(("", 0), |site| (site.file(), site.line())));
                let nth = places[since..].iter().filter(|place| (place.name, place.site) == (name, site)).count();
                places.push(Place { name, site, nth });
            }
            _ => {}
        }
    }
    places
}

/// The places of these frames, submitted in sequence, without which a conflict appears; `known` ones are not tried.
pub fn needed(frames: &[Journal], known: &BTreeSet<Place>) -> BTreeSet<Place> {
    let all: BTreeSet<Place> = frames.iter().flat_map(places).collect();
    let needed = |place: &Place| !check(&without(frames, place)).is_empty();
    all.into_iter().filter(|place| !known.contains(place) && needed(place)).collect()
}

fn without(frames: &[Journal], left_out: &Place) -> Vec<Journal> {
    let mut frames = frames.to_vec();
    for frame in &mut frames {
        let mut places = places(frame).into_iter();
        for entry in &mut frame.entries {
            if let JournalEntry::Dependency(dependency) = entry {
                dependency.omitted |= places.next().as_ref() == Some(left_out);
            }
        }
    }
    frames
}
