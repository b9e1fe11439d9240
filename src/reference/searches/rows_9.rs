//! Twin of `glsl/searches/rows_9.glsl`: nine rows of three cells as wide as the radius.

use super::beside;
use crate::flock::grid::{cell_beside, cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The rows of cells whose boids are tested, in a grid with one cell along x for one radius: ranges of numbers of
/// cells.
pub fn cells(grid: &Grid, position: Vec3, mut visit: impl FnMut(Range<u32>)) {
    let dims = grid.dims;
    let cell = cell_of(grid, position);
    let (first, last) = (cell.x.saturating_sub(1), (cell.x + 1).min(dims.x - 1));
    // On a torus, the cell beyond a wall, unless it is between the others too.
    let beyond = [-1, 1].map(|step| cell_beside(cell.x, step, dims.x, grid.wraps != 0));
    for (_, y) in beside(grid, cell.y, dims.y) {
        for (_, z) in beside(grid, cell.z, dims.z) {
            let row = cell_id(grid, UVec3::new(0, y, z));
            visit(row + first..row + last + 1);
            for x in beyond.into_iter().flatten().filter(|x| !(first..=last).contains(x)) {
                visit(row + x..row + x + 1);
            }
        }
    }
}
