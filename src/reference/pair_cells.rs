//! Twin of `pair_cells.comp`: the cell of each boid, paired with the boid's place in the state.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::Vec3;

/// Cell and place of each boid.
pub fn pair_cells(grid: &Grid, position: &[Vec3]) -> Vec<[u32; 2]> {
    position.iter().zip(0..).map(|(&p, place)| [cell_id(grid, cell_of(grid, p)), place]).collect()
}
