//! Twin of `glsl/searches/cells_27.glsl` and of `bitonic_grid.glsl`: the boid's own cell and the 26 around it, each a
//! range of its own, which one looks up in the starts of all cells and the other in begins and ends.

use super::beside;
use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The cells whose boids are tested: ranges of one number each.
pub fn cells(grid: &Grid, position: Vec3, mut visit: impl FnMut(Range<u32>)) {
    let cell = cell_of(grid, position);
    for (_, y) in beside(grid, cell.y, grid.dims.y) {
        for (_, z) in beside(grid, cell.z, grid.dims.z) {
            for (_, x) in beside(grid, cell.x, grid.dims.x) {
                let other = cell_id(grid, UVec3::new(x, y, z));
                visit(other..other + 1);
            }
        }
    }
}
