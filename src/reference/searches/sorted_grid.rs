//! Twin of `glsl/searches/sorted_grid.glsl`: nine rows of x-adjacent cells, each cut to the chord of the sphere.
//!
//! In single precision throughout, like the kernel, so that a test of this twin tests the kernel's margins:
//! `src/flock/grid.rs` has the argument that rounding loses no neighbor.

use super::beside;
use crate::flock::grid::{WIDENED, cell_id, cell_of, columns_on_chord};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// [`gap_to`]; of two rows that wrap, each is on both sides of the other.
fn gap_beside(grid: &Grid, step: i32, t: f32, cell: u32, cell_size: f32, dims: u32) -> f32 {
    if grid.wraps != 0 && dims < 3 { 0.0 } else { gap_to(step, t, cell, cell_size, grid.slack) }
}

/// How far, at least, a boid at `t` is from the boids of the next cells below (step -1) or above (step 1) its own.
fn gap_to(step: i32, t: f32, cell: u32, cell_size: f32, slack: f32) -> f32 {
    let border = (if step > 0 { cell + 1 } else { cell }) as f32 * cell_size;
    if step == 0 { 0.0 } else { (step as f32 * (border - t) - slack).max(0.0) }
}

/// The rows of cells whose boids are tested: ranges of numbers of cells.
pub fn cells(grid: &Grid, radius: f32, position: Vec3, mut visit: impl FnMut(Range<u32>)) {
    let t = position - grid.origin;
    let cell = cell_of(grid, position);
    let radius_squared = radius * radius;
    for (dy, y) in beside(grid, cell.y, grid.dims.y) {
        let gap_y = gap_beside(grid, dy, t.y, cell.y, grid.cell_size.y, grid.dims.y);
        for (dz, z) in beside(grid, cell.z, grid.dims.z) {
            let gap_z = gap_beside(grid, dz, t.z, cell.z, grid.cell_size.z, grid.dims.z);
            let half_squared = radius_squared * WIDENED - gap_y * gap_y - gap_z * gap_z;
            if half_squared < 0.0 {
                continue;
            }
            for columns in columns_on_chord(grid, t.x, half_squared) {
                let row = cell_id(grid, UVec3::new(0, y, z));
                visit(row + columns.start..row + columns.end);
            }
        }
    }
}
