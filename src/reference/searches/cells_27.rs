//! Twin of `glsl/searches/cells_27.glsl` and of `bitonic_grid.glsl`: the boid's own cell and the 26 around it, each a range
//! of its own, which one looks up in the starts of all cells and the other in begins and ends.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{IVec3, Vec3};
use std::ops::Range;

/// The cells whose boids are tested: ranges of one number each.
pub fn cells(grid: &Grid, position: Vec3, mut visit: impl FnMut(Range<u32>)) {
    let cell = cell_of(grid, position).as_ivec3();
    for dy in -1..=1 {
        for dz in -1..=1 {
            for dx in -1..=1 {
                let other = (cell + IVec3::new(dx, dy, dz)).as_uvec3();
                // Below cell 0 a number wraps around to a huge one.
                if other.cmplt(grid.dims).all() {
                    let other = cell_id(grid, other);
                    visit(other..other + 1);
                }
            }
        }
    }
}
