//! The searches: how a boid finds its neighbors. One table row for each.
//!
//! A search is one GLSL file under `glsl/searches/`, one CPU twin under `src/reference/searches/`, and one row here.
//! All of them find the same neighbors; they differ in their preparation, and in how many boids they test that are not
//! neighbors.

use super::grid::X_SUBDIVISION;
use super::named::find;
use crate::error::Result;
use crate::flock::buffers::{CELL_RANGES, CELL_STARTS, SORTED_QUANTIZED};
use barrier_proof::{Stage, Use};
use std::fmt;

/// The preparation of the flock for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridKind {
    /// None: the order of the boids does not change.
    None,
    /// The boids in cell order, with the start of each cell, by counting.
    CountingSorted,
    /// The boids in cell order, with begin and end of each cell, by sorting pairs of cell and boid.
    BitonicSorted,
}

/// What the rest of the program needs to know about a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchInfo {
    /// The search.
    pub search: Search,
    /// Its name for users. With underscores it is the stem of its file under `glsl/searches/`.
    pub name: &'static str,
    /// How it works, in one sentence.
    pub sentence: &'static str,
    /// The preparation that it needs.
    pub grid: GridKind,
    /// Cells along x for one search radius.
    pub columns: u32,
    /// Cells whose boids the boids of one cell visit, at most; `None` if they visit every boid.
    pub cells_visited: Option<f64>,
    /// Resources that its kernels read, besides the flock itself.
    pub reads: &'static [Use],
    /// Whether it tests quantized positions first; the sort then writes these.
    pub quantized: bool,
    /// Whether its kernels are built a second time, for arrays beyond a descriptor's range.
    pub by_address: bool,
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const STARTS: &[Use] = &[Use::read(COMPUTE, CELL_STARTS)];

/// Nine rows of eleven cells: the chords of all boids of a cell, each eight cells long, meet up to ten, plus one for
/// rounding.
const CHORDS: f64 = 99.0;

/// The same for cells as wide as the radius.
const WHOLE_CELLS: f64 = 27.0;

/// Defaults of rows: the search tests every boid.
const PLAIN: SearchInfo = SearchInfo {
    search: Search::AllPairs,
    name: "",
    sentence: "",
    grid: GridKind::None,
    columns: X_SUBDIVISION,
    cells_visited: None,
    reads: &[],
    quantized: false,
    by_address: false,
};

/// A row for each search: the fields of [`SearchInfo`] that differ from [`PLAIN`].
macro_rules! searches {
    ($($search:ident { name: $name:literal, sentence: $sentence:literal, $($field:ident: $value:expr,)* })*) => {
        /// A way to find neighbors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Search {
            $(#[doc = $sentence] $search,)*
        }

        /// Every search, the default first.
        pub const SEARCHES: &[SearchInfo] = &[$(SearchInfo {
            search: Search::$search, name: $name, sentence: $sentence, $($field: $value,)* ..PLAIN
        }),*];
    };
}

searches! {
    QuantizedGrid {
        name: "quantized-grid",
        sentence: "The rows of sorted-grid; quantized positions reject most candidates before the exact test.",
        grid: GridKind::CountingSorted,
        cells_visited: Some(CHORDS),
        reads: &[Use::read(COMPUTE, SORTED_QUANTIZED), Use::read(COMPUTE, CELL_STARTS)],
        quantized: true,
        by_address: true,
    }
    SortedGrid {
        name: "sorted-grid",
        sentence: "Nine rows of a grid filled by a counting sort, each cut to the chord of the search sphere.",
        grid: GridKind::CountingSorted,
        cells_visited: Some(CHORDS),
        reads: STARTS,
        by_address: true,
    }
    Rows9 {
        name: "rows-9",
        sentence: "Nine whole rows of three cells as wide as the radius.",
        grid: GridKind::CountingSorted,
        columns: 1,
        cells_visited: Some(WHOLE_CELLS),
        reads: STARTS,
    }
    Cells27 {
        name: "cells-27",
        sentence: "The boid's own cell, as wide as the radius, and the 26 around it.",
        grid: GridKind::CountingSorted,
        columns: 1,
        cells_visited: Some(WHOLE_CELLS),
        reads: STARTS,
    }
    BitonicGrid {
        name: "bitonic-grid",
        sentence: "The same 27 cells, with the boids ordered by a bitonic sort.",
        grid: GridKind::BitonicSorted,
        columns: 1,
        reads: &[Use::read(COMPUTE, CELL_RANGES)],
    }
    Tiles {
        name: "tiles",
        sentence: "Every boid is tested, loaded through shared memory once for a whole workgroup.",
    }
    AllPairs {
        name: "all-pairs",
        sentence: "Every boid is tested, without any preparation.",
    }
}

impl Search {
    /// The search of that name.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn named(name: &str) -> Result<Search> {
        find("search", SEARCHES, |info| info.name, name).map(|info| info.search)
    }

    /// The search's row of [`SEARCHES`].
    pub fn info(self) -> &'static SearchInfo {
        &SEARCHES[self as usize]
    }

    /// Its name for users.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The preparation that it needs.
    pub fn grid(self) -> GridKind {
        self.info().grid
    }

    /// Stem of its file under `glsl/searches/`.
    pub fn stem(self) -> String {
        self.name().replace('-', "_")
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
}
