//! Dependencies by the line of source that records them: one that is recorded twice under one name is found, although
//! one of the two is needed.

use crate::{Journal, JournalEntry, check};
use std::collections::BTreeSet;
use std::fmt;

/// A line of source that records a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The dependency.
    pub name: &'static str,
    /// The file and the line.
    pub line: (&'static str, u32),
    /// How many the same line records before it between two passes.
    pub nth: usize,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site { name, line: (file, line), nth } = self;
        write!(f, "{name}, recorded by {file}:{line}")?;
        if *nth > 0 { write!(f, " {} times in a row", nth + 1) } else { Ok(()) }
    }
}

/// The site of each dependency of a journal, in its order.
pub fn sites(journal: &Journal) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    let mut since = 0;
    for entry in &journal.entries {
        match entry {
            JournalEntry::Pass(_) => since = sites.len(),
            JournalEntry::Dependency(dependency) => {
                let line = dependency.site.map_or(("", 0), |site| (site.file(), site.line()));
                let same = |site: &&Site| (site.name, site.line) == (dependency.name, line);
                let nth = sites[since..].iter().filter(same).count();
                sites.push(Site { name: dependency.name, line, nth });
            }
            _ => {}
        }
    }
    sites
}

/// The sites of these frames, submitted in sequence, without which a conflict appears; `known` ones are not tried.
pub fn needed(frames: &[Journal], known: &BTreeSet<Site>) -> BTreeSet<Site> {
    let all: BTreeSet<Site> = frames.iter().flat_map(sites).collect();
    let needed = |site: &Site| !check(&without(frames, site)).is_empty();
    all.into_iter().filter(|site| !known.contains(site) && needed(site)).collect()
}

fn without(frames: &[Journal], left_out: &Site) -> Vec<Journal> {
    let without = |frame: &Journal| {
        let mut sites = sites(frame).into_iter();
        frame.changed(|dependency| dependency.omitted |= sites.next().as_ref() == Some(left_out))
    };
    frames.iter().map(without).collect()
}
