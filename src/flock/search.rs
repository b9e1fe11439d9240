//! The searches: how a boid finds its neighbors. One table row for each.
//!
//! A search is one GLSL file under `glsl/searches/`, one CPU twin under `src/reference/searches/`, and one row here.
//! All of them find exactly the same neighbors; they differ in what must be done before, and in how many boids they
//! test in vain.

use crate::error::{Error, Result};
use crate::limits;
use std::fmt;

/// A way to find neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// The rows of [`Search::SortedGrid`], where quantized positions are compared before exact ones.
    QuantizedGrid,
    /// Nine rows of a grid that a counting sort fills, each cut to the chord of the search sphere.
    SortedGrid,
    /// Every boid is tested.
    AllPairs,
}

/// What has to be made of the flock before a search can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridKind {
    /// Nothing: the boids stay in the order they are in.
    None,
    /// The boids in cell order, with the start of each cell, by counting.
    CountingSorted,
}

/// What the rest of the program needs to know about a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchInfo {
    /// The search.
    pub search: Search,
    /// What users call it. With underscores it is the stem of its file under `glsl/searches/`.
    pub name: &'static str,
    /// How it works, in one sentence.
    pub sentence: &'static str,
    /// What it needs.
    pub grid: GridKind,
}

/// Every search, the default first.
pub const SEARCHES: &[SearchInfo] = &[
    SearchInfo {
        search: Search::QuantizedGrid,
        name: "quantized-grid",
        sentence: "The rows of sorted-grid; quantized positions rule out most candidates before the exact test.",
        grid: GridKind::CountingSorted,
    },
    SearchInfo {
        search: Search::SortedGrid,
        name: "sorted-grid",
        sentence: "Nine rows of a grid filled by a counting sort, each cut to the chord of the search sphere.",
        grid: GridKind::CountingSorted,
    },
    SearchInfo {
        search: Search::AllPairs,
        name: "all-pairs",
        sentence: "Every boid is tested, without any preparation.",
        grid: GridKind::None,
    },
];

impl Search {
    /// The search of that name.
    ///
    /// # Errors
    /// [`Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn named(name: &str) -> Result<Search> {
        SEARCHES.iter().find(|info| info.name == name).map(|info| info.search).ok_or_else(|| Error::Setting {
            name: "--search".into(),
            value: format!("'{name}'"),
            accepted: super::preset::one_of(name, SEARCHES.iter().map(|info| info.name)),
        })
    }

    /// The search's row of [`SEARCHES`].
    pub fn info(self) -> &'static SearchInfo {
        SEARCHES.iter().find(|info| info.search == self).expect("every search has a row: tests walk them all")
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// What it needs.
    pub fn grid(self) -> GridKind {
        self.info().grid
    }

    /// Stem of its file under `glsl/searches/`.
    pub fn stem(self) -> String {
        self.name().replace('-', "_")
    }

    /// Invocations in a workgroup of `steer` with this search.
    pub fn workgroup(self) -> u32 {
        limits::steer_workgroup(&self.stem())
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_search_has_a_file_and_every_file_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/glsl/searches");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        let rows: BTreeSet<String> = SEARCHES.iter().map(|info| info.search.stem()).collect();
        assert_eq!(files, rows);
        for info in SEARCHES {
            assert_eq!(Search::named(info.name).expect("a known name"), info.search);
        }
    }

    #[test]
    fn a_slip_is_answered_with_the_name_meant() {
        let message = Search::named("all-pair").expect_err("no such search").to_string();
        assert!(message.starts_with("--search is 'all-pair'; accepted is one of quantized-grid, "), "{message}");
        assert!(message.ends_with("(did you mean 'all-pairs'?)"), "{message}");
    }
}
