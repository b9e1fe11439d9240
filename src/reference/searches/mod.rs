//! Neighbor searches: which boids must be tested. Twins of the files under `glsl/searches/`.

mod all_pairs;
mod cells_27;
mod quantized_grid;
mod rows_9;
mod sorted_grid;
mod tiles;

pub use all_pairs::AllPairs;
pub use cells_27::{BitonicGrid, Cells27};
pub use quantized_grid::QuantizedGrid;
pub use rows_9::Rows9;
pub use sorted_grid::SortedGrid;
pub use tiles::Tiles;

use super::closest;
use crate::flock::BoidState;
use glam::Vec3;
use std::ops::Range;

/// Names the boids that may lie within the search radius of a position.
pub trait Search: Sync {
    /// Calls `visit` with ranges of boids that together hold, each once, every boid within the search radius of
    /// `position`, and possibly others.
    fn candidates(&self, position: Vec3, visit: impl FnMut(Range<usize>));

    /// The boid closest to boid `i`, however far it is; of several that are as close, the one of the lowest id.
    fn closest(&self, flock: &BoidState, i: usize) -> Option<usize> {
        closest::of_all(flock, i)
    }
}
