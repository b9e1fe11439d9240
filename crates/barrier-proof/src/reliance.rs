//! Which dependencies rely on others, and whether they name these.
//!
//! An independent dependency prevents its conflicts by itself; another does so only together with those that it names
//! in `relies_on`. The test: of all dependencies, only the one in question and those that it names are kept, which must
//! be sufficient; then each of those is left out in turn, which must not be.

use crate::{Between, Conflict, Journal, check};
use std::collections::{BTreeMap, BTreeSet};

/// Results for `relies_on` from frames of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reliance {
    /// Dependencies that rely on others than they name, each with a conflict that it and those do not prevent.
    pub unnamed: BTreeMap<&'static str, Conflict>,
    /// Dependencies, each with one that it names and needs.
    pub needed: BTreeSet<(&'static str, &'static str)>,
}

/// Checks whether the dependencies of these frames, submitted in sequence, rely on exactly those that they name.
/// `between` is what they [prevent](super::between()).
pub fn reliance(frames: &[Journal], between: &Between) -> Reliance {
    let mut found = Reliance::default();
    for (&name, conflicts) in between {
        let mut kept = BTreeSet::from([name]);
        kept.extend(named(frames, name));
        if let Some(conflict) = remaining(frames, &kept, conflicts).into_iter().next() {
            found.unnamed.insert(name, conflict);
        }
        for other in named(frames, name) {
            let fewer: BTreeSet<_> = kept.iter().copied().filter(|&kept| kept != other).collect();
            if remaining(frames, &fewer, conflicts) != remaining(frames, &kept, conflicts) {
                found.needed.insert((name, other));
            }
        }
    }
    found
}

/// The names in `relies_on` of dependency `name`.
fn named(frames: &[Journal], name: &str) -> BTreeSet<&'static str> {
    let entries = frames.iter().flat_map(Journal::dependencies).filter(|dependency| dependency.name == name);
    entries.flat_map(|dependency| dependency.relies_on.iter().copied()).collect()
}

/// Which of `conflicts` occur in these frames with only the dependencies `kept`.
fn remaining(frames: &[Journal], kept: &BTreeSet<&str>, conflicts: &BTreeSet<Conflict>) -> BTreeSet<Conflict> {
    let with = |frame: &Journal| frame.changed(|dependency| dependency.omitted |= !kept.contains(dependency.name));
    let frames: Vec<Journal> = frames.iter().map(with).collect();
    check(&frames).intersection(conflicts).cloned().collect()
}
