//! Twin of `sort_scatter.comp`: lists the boids of each cell.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::Vec3;

/// The boids of each cell, by their places in `position`: a boid stands at the start of its cell plus its rank.
///
/// # Panics
/// When ranks and starts do not give each boid a place of its own; [`super::grid_count::check`] tells.
pub fn sort_scatter(grid: &Grid, position: &[Vec3], cell_rank: &[u32], cell_starts: &[u32]) -> Vec<u32> {
    let mut members = vec![u32::MAX; position.len()];
    for (boid, (&position, rank)) in position.iter().zip(cell_rank).enumerate() {
        let cell = cell_id(grid, cell_of(grid, position));
        members[(cell_starts[cell as usize] + rank) as usize] = boid as u32;
    }
    members
}
