//! A flock as a search wants it: everything of a step but steering.

use super::{bitonic, grid_count, pair_cells, pair_gather, pair_ranges};
use super::{scan_downsweep, scan_reduce, scan_spine, sort_scatter};
use crate::flock::layout::Grid;
use crate::flock::search::GridKind;
use crate::flock::{BoidState, Search};

/// A flock in the order that a search wants, and what putting it there has found.
pub struct Ordered {
    /// The search.
    pub search: Search,
    /// The grid, with as many columns as the search wants.
    pub grid: Grid,
    /// The search radius, in world units: at most the one that the grid was made for.
    pub radius: f32,
    /// The boids.
    pub flock: BoidState,
    /// After a counting sort, the first boid of each cell, and the count of boids at the end.
    pub cell_starts: Vec<u32>,
    /// After a bitonic sort, begin and end of each cell.
    pub cell_ranges: Vec<[u32; 2]>,
}

impl Ordered {
    /// Puts `flock` in the order that `search` wants.
    pub fn new(search: Search, grid: Grid, radius: f32, flock: &BoidState) -> Ordered {
        let (flock, cell_starts, cell_ranges) = match search.grid() {
            GridKind::None => (flock.clone(), Vec::new(), Vec::new()),
            GridKind::CountingSorted => {
                let (sorted, cell_starts) = sort(&grid, flock);
                (sorted, cell_starts, Vec::new())
            }
            GridKind::BitonicSorted => {
                let mut pairs = pair_cells::pair_cells(&grid, &flock.position);
                bitonic::bitonic_sort(&mut pairs);
                let cell_ranges = pair_ranges::pair_ranges(&pairs, grid.cell_count);
                (pair_gather::pair_gather(&pairs, flock), Vec::new(), cell_ranges)
            }
        };
        Ordered { search, grid, radius, flock, cell_starts, cell_ranges }
    }
}

/// The flock in cell order and the start of each cell, by a counting sort.
pub fn sort(grid: &Grid, state: &BoidState) -> (BoidState, Vec<u32>) {
    let counted = grid_count::grid_count(grid, &state.position);
    let mut sums = scan_reduce::scan_reduce(&counted.cell_counts);
    scan_spine::scan_spine(&mut sums);
    let starts = scan_downsweep::scan_downsweep(&counted.cell_counts, &sums, state.len() as u32);
    let sorted = sort_scatter::sort_scatter(grid, state, &counted.cell_rank, &starts);
    (sorted, starts)
}
