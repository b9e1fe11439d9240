//! Twin of `glsl/searches/rows_9.glsl`: nine rows of three cells as wide as the radius.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The rows of cells whose boids are tested, in a grid with one cell along x for one radius: ranges of numbers of cells.
pub fn cells(grid: &Grid, position: Vec3, mut visit: impl FnMut(Range<u32>)) {
    let dims = grid.dims;
    let cell = cell_of(grid, position);
    let (first, last) = (cell.x.saturating_sub(1), (cell.x + 1).min(dims.x - 1));
    for dy in -1..=1 {
        for dz in -1..=1 {
            let (y, z) = (cell.y.wrapping_add_signed(dy), cell.z.wrapping_add_signed(dz));
            if y < dims.y && z < dims.z {
                let row = cell_id(grid, UVec3::new(0, y, z));
                visit(row + first..row + last + 1);
            }
        }
    }
}
