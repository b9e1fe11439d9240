//! A flock as a search wants it: everything of a step but steering.

use super::{bitonic, grid_count, pair_cells, pair_gather, pair_ranges};
use super::{scan_downsweep, scan_reduce, scan_spine, sort_list, sort_scatter};
use crate::flock::layout::{Chords, Grid, Quanta};
use crate::flock::manners::Perception;
use crate::flock::search::GridKind;
use crate::flock::{BoidState, Search, Settings, quanta};

/// A flock in the order that a search wants, and what putting it there has found.
pub struct Ordered {
    /// The search.
    pub search: Search,
    /// The grid, with as many columns as the search wants.
    pub grid: Grid,
    /// The search radius, in world units: at most the one that the grid was made for.
    pub radius: f32,
    /// Whom of those within the radius a boid perceives.
    pub perception: Perception,
    /// The boids.
    pub flock: BoidState,
    /// After a counting sort, the first boid of each cell, and the count of boids at the end.
    pub cell_starts: Vec<u32>,
    /// After a bitonic sort, begin and end of each cell.
    pub cell_ranges: Vec<[u32; 2]>,
    /// How the rows of the grid around a boid are cut.
    pub chords: Chords,
    /// For a search that tests quantized positions first.
    pub quantized: Option<Quantized>,
}

/// The positions of a flock as a search tests them first.
pub struct Quantized {
    /// How they are quantized.
    pub quanta: Quanta,
    /// The quantized position of each boid, in cell order.
    pub positions: Vec<u32>,
}

impl Ordered {
    /// Puts a flock of `settings` in the order that its search wants.
    pub fn of(settings: &Settings, flock: &BoidState) -> Ordered {
        Ordered::new(
            settings.search,
            settings.grid(),
            settings.search_radius(),
            Perception::of(&settings.step_params(0)),
            flock,
        )
    }

    /// Puts `flock` in the order that `search` wants.
    pub fn new(search: Search, grid: Grid, radius: f32, perception: Perception, flock: &BoidState) -> Ordered {
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
        let quantized = search.info().quantized.then(|| {
            let quanta = quanta::quanta(&grid, radius);
            let positions = sort_scatter::quantized(&grid, &quanta, &flock.position);
            Quantized { quanta, positions }
        });
        let chords = quanta::chords(&grid, radius);
        Ordered { search, grid, radius, perception, flock, cell_starts, cell_ranges, chords, quantized }
    }
}

/// The flock in cell order and the start of each cell, by a counting sort.
pub fn sort(grid: &Grid, state: &BoidState) -> (BoidState, Vec<u32>) {
    let counted = grid_count::grid_count(grid, &state.position);
    let mut sums = scan_reduce::scan_reduce(&counted.cell_counts);
    scan_spine::scan_spine(&mut sums);
    let starts = scan_downsweep::scan_downsweep(&counted.cell_counts, &sums, state.len() as u32);
    let members = sort_list::sort_list(&state.id, &counted.cell_rank, &starts);
    (sort_scatter::sort_scatter(grid, state, &members, &starts), starts)
}
