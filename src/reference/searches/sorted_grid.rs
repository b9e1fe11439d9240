//! Twin of `glsl/searches/sorted_grid.glsl`: nine rows of x-adjacent cells, each cut to the chord of the sphere.
//!
//! In single precision throughout, like the kernel, so that a test of this twin tests the kernel's margins:
//! `src/flock/grid.rs` has the argument that rounding loses no neighbor.

use crate::flock::grid::{WIDENED, cell_along, cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

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
    for dy in -1..=1 {
        let y = cell.y.wrapping_add_signed(dy);
        let gap_y = gap_to(dy, t.y, cell.y, grid.cell_size.y, grid.slack);
        for dz in -1..=1 {
            let z = cell.z.wrapping_add_signed(dz);
            let gap_z = gap_to(dz, t.z, cell.z, grid.cell_size.z, grid.slack);
            let half_squared = radius_squared * WIDENED - gap_y * gap_y - gap_z * gap_z;
            if y >= grid.dims.y || z >= grid.dims.z || half_squared < 0.0 {
                continue;
            }
            let half_chord = half_squared.sqrt() + grid.slack;
            let row = cell_id(grid, UVec3::new(0, y, z));
            let first = row + cell_along(t.x - half_chord, grid.inv_cell_size.x, grid.dims.x);
            let last = row + cell_along(t.x + half_chord, grid.inv_cell_size.x, grid.dims.x);
            visit(first..last + 1);
        }
    }
}
