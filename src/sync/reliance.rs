//! Which dependencies lean on others, and whether they say so.
//!
//! A dependency that stands alone keeps away, by itself, every conflict that it stands between. One that leans does so only
//! together with those that it names in `relies_on`. Both are tried: of all the dependencies of these frames only the one in
//! question and those that it names are kept, which has to be enough, and then each of those is left out, which must not be.

use super::between::Between;
use super::checker::check;
use super::conflict::Conflict;
use crate::vk::{Journal, JournalEntry};
use std::collections::{BTreeMap, BTreeSet};

/// What frames of one kind say about `relies_on`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reliance {
    /// Dependencies that lean on others than they name, each with a conflict that it and those cannot keep away.
    pub unnamed: BTreeMap<&'static str, Conflict>,
    /// Dependencies, each with one that it names and is not enough without.
    pub needed: BTreeSet<(&'static str, &'static str)>,
}

/// Whether the dependencies of these frames, submitted one after the other, lean on those that they name, and on no others.
/// `between` is what they [stand between](super::between()).
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

/// Which of `conflicts` there are in these frames with none but the dependencies `kept`.
fn remaining(frames: &[Journal], kept: &BTreeSet<&str>, conflicts: &BTreeSet<Conflict>) -> BTreeSet<Conflict> {
    let mut frames = frames.to_vec();
    for entry in frames.iter_mut().flat_map(|frame| &mut frame.entries) {
        if let JournalEntry::Dependency(dependency) = entry {
            dependency.omitted |= !kept.contains(dependency.name);
        }
    }
    check(&frames).intersection(conflicts).cloned().collect()
}
