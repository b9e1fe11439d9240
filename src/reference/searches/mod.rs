//! Neighbor searches: which boids must be tested. Twins of the files under `glsl/searches/`; those that test every boid need
//! none.

mod cells_27;
mod quantized_grid;
mod rows_9;
mod sorted_grid;

use super::closest;
use super::ordered::Ordered;
use crate::flock::Search;
use crate::flock::search::GridKind;
use glam::Vec3;
use std::ops::Range;

impl Ordered {
    /// Calls `visit` with ranges of boids that together hold, each once, every boid within the search radius of
    /// `position`, and possibly others.
    pub fn candidates(&self, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
        match self.search {
            Search::QuantizedGrid => quantized_grid::candidates(self, position, visit),
            Search::SortedGrid => sorted_grid::candidates(self, position, visit),
            Search::Rows9 => rows_9::candidates(self, position, visit),
            Search::Cells27 => cells_27::candidates_by_starts(self, position, visit),
            Search::BitonicGrid => cells_27::candidates_by_ranges(self, position, visit),
            Search::Tiles | Search::AllPairs => visit(0..self.flock.len()),
        }
    }

    /// The boid closest to boid `i` within 10^19 world units; of several equally close, the one with the lowest id.
    pub fn closest(&self, i: usize) -> Option<usize> {
        match self.search.grid() {
            GridKind::CountingSorted => closest::in_rows(&self.grid, &self.cell_starts, &self.flock, i),
            GridKind::None | GridKind::BitonicSorted => closest::of_all(&self.flock, i),
        }
    }
}
