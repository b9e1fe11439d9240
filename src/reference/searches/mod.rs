//! Neighbor searches: which boids must be tested. Twins of the files under `glsl/searches/`; those that test every boid
//! need none.

mod cells_27;
mod quantized_grid;
mod rows_9;
mod sorted_grid;

use super::ordered::Ordered;
use crate::flock::Search;
use crate::flock::grid::cell_beside;
use crate::flock::layout::{Chords, Grid};
use crate::flock::manners::Sought;
use crate::flock::search::GridKind;
use crate::laws::closest::{Cells, closest};
use glam::Vec3;
use std::ops::Range;

/// Calls `visit` with ranges of numbers of cells: a boid at `position` tests the boids in them. None for a search
/// without a grid.
pub fn cells(
    search: Search,
    grid: &Grid,
    radius: f32,
    chords: &Chords,
    position: Vec3,
    mut visit: impl FnMut(Range<u32>),
) {
    // Where no wall that wraps is near, there is nothing beyond it.
    let visit = |cells: Range<u32>| {
        if !cells.is_empty() {
            visit(cells);
        }
    };
    match search {
        Search::QuantizedGrid => quantized_grid::cells(grid, chords, position, visit),
        Search::SortedGrid => sorted_grid::cells(grid, radius, position, visit),
        Search::Rows9 => rows_9::cells(grid, position, visit),
        Search::Cells27 | Search::BitonicGrid => cells_27::cells(grid, position, visit),
        Search::Tiles | Search::AllPairs => {}
    }
}

/// The cells next to `cell` along an axis of `dims`, itself included, each with the step to it.
fn beside(grid: &Grid, cell: u32, dims: u32) -> impl Iterator<Item = (i32, u32)> + use<> {
    let wraps = grid.wraps != 0;
    (-1..=1).filter_map(move |step| cell_beside(cell, step, dims, wraps).map(|beside| (step, beside)))
}

impl Ordered {
    /// Calls `visit` with ranges of boids that together hold, each once, every boid within the search radius of
    /// `position`, and possibly others.
    pub fn candidates(&self, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
        if self.search.grid() == GridKind::None {
            return visit(0..self.flock.len());
        }
        cells(self.search, &self.grid, self.radius, &self.chords, position, |cells| {
            let cells = cells.start as usize..cells.end as usize;
            match (self.search.grid(), &self.quantized) {
                (GridKind::BitonicSorted, _) => {
                    let ranges = self.cell_ranges[cells].iter();
                    // An empty cell has a mark instead of a range.
                    ranges
                        .filter(|[begin, end]| begin < end)
                        .for_each(|&[begin, end]| visit(begin as usize..end as usize));
                }
                (_, None) => visit(self.boids_before(cells.start)..self.boids_before(cells.end)),
                (_, Some(quantized)) => {
                    let tested = self.boids_before(cells.start)..self.boids_before(cells.end);
                    quantized_grid::may_be_near(&self.grid, quantized, position, tested, &mut visit);
                }
            }
        });
    }

    fn boids_before(&self, cell: usize) -> usize {
        self.cell_starts[cell] as usize
    }

    /// The boid closest to boid `i` of those that are sought; of several equally close, the one with the lowest id.
    pub fn closest(&self, sought: Sought, i: usize) -> Option<usize> {
        closest(self.cells(), &self.flock, self.perception, sought, i)
    }

    /// The cells in which the closest are sought.
    pub fn cells(&self) -> Cells<'_> {
        (self.search.grid() == GridKind::CountingSorted).then_some((&self.grid, &self.cell_starts))
    }
}
