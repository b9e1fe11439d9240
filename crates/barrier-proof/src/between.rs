//! What each dependency prevents: the conflicts that appear without it.

use crate::{Conflict, Fault, HOST, Hazard, Journal, PRESENT, check};
use std::collections::{BTreeMap, BTreeSet};

/// The direct conflicts that each dependency prevents, by its name.
pub type Between = BTreeMap<&'static str, BTreeSet<Conflict>>;

/// What every dependency of these frames, submitted in sequence, prevents: the direct conflicts that appear when it is
/// left out of one of them. A dependency that others make unnecessary in these frames prevents nothing.
pub fn between(frames: &[Journal]) -> Between {
    let intact = check(frames);
    let mut found = Between::new();
    for (at, frame) in frames.iter().enumerate() {
        let names: BTreeSet<&'static str> = frame.dependencies().map(|dependency| dependency.name).collect();
        for name in names {
            let with = |fault: &Fault| {
                let mut frames = frames.to_vec();
                frames[at] = faulty(frame, fault);
                let conflicts = check(&frames);
                conflicts.difference(&intact).filter(|conflict| conflict.direct).cloned().collect::<BTreeSet<_>>()
            };
            let mut conflicts = with(&Fault::Omit(name.to_owned()));
            if conflicts.iter().all(|conflict| conflict.hazard == Hazard::Layout) {
                // A layout transition writes the image, so it must itself be in order.
                let bits = frame.dependencies().filter(|d| d.name == name).flat_map(|d| d.masks.bits());
                let weakened = bits.flat_map(|bit| with(&Fault::Weaken(name.to_owned(), bit)));
                conflicts.extend(weakened.filter(|conflict| conflict.consumer == name));
            }
            found.entry(name).or_default().extend(conflicts);
        }
    }
    found
}

/// The journal as a recorder with this fault would have written it. Planted faults are ignored.
pub fn faulty(journal: &Journal, fault: &Fault) -> Journal {
    journal.changed(|dependency| match fault.apply(dependency.name, dependency.masks) {
        Some(masks) => dependency.masks = masks,
        None => dependency.omitted = true,
    })
}

/// The kinds of hazard of these conflicts, as a dependency states them.
pub fn hazards(conflicts: &BTreeSet<Conflict>) -> BTreeSet<Hazard> {
    let mut found = BTreeSet::new();
    for conflict in conflicts {
        found.insert(conflict.hazard);
        let parties = [conflict.producer, conflict.consumer];
        if parties.contains(&PRESENT) {
            found.insert(Hazard::Display);
        } else if parties.contains(&HOST) {
            found.insert(Hazard::Host);
        } else if conflict.across_frames {
            found.insert(Hazard::PreviousFrame);
        }
    }
    found
}
