//! Neighbor searches: which boids must be tested. Twins of the files under `glsl/searches/`.

mod all_pairs;
mod cells_27;
mod quantized_grid;
mod rows_9;
mod sorted_grid;
mod tiles;

pub use all_pairs::AllPairs;

use super::closest;
use super::ordered::Ordered;
use crate::flock::{self, BoidState};
use glam::Vec3;
use std::ops::Range;

/// Names the boids that may lie within the search radius of a position.
pub trait Search: Sync {
    /// Calls `visit` with ranges of boids that together hold, each once, every boid within the search radius of
    /// `position`, and possibly others.
    fn candidates(&self, position: Vec3, visit: &mut dyn FnMut(Range<usize>));

    /// The boid closest to boid `i`, however far it is; of several that are as close, the one of the lowest id.
    fn closest(&self, flock: &BoidState, i: usize) -> Option<usize> {
        closest::of_all(flock, i)
    }
}

/// The twin of the search that the flock was put in order for.
pub fn twin(ordered: &Ordered) -> Box<dyn Search + '_> {
    match ordered.search {
        flock::Search::QuantizedGrid => Box::new(quantized_grid::QuantizedGrid::new(ordered)),
        flock::Search::SortedGrid => Box::new(sorted_grid::SortedGrid(ordered)),
        flock::Search::Rows9 => Box::new(rows_9::Rows9(ordered)),
        flock::Search::Cells27 => Box::new(cells_27::Cells27(ordered)),
        flock::Search::BitonicGrid => Box::new(cells_27::BitonicGrid(ordered)),
        flock::Search::Tiles => Box::new(tiles::Tiles { boids: ordered.flock.len() }),
        flock::Search::AllPairs => Box::new(AllPairs { boids: ordered.flock.len() }),
    }
}
