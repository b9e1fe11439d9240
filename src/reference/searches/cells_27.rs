//! Twin of `glsl/searches/cells_27.glsl` and of `bitonic_grid.glsl`: the boid's own cell and the 26 around it, each a range
//! of its own, which one looks up in the starts of all cells and the other in begins and ends.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use crate::reference::ordered::Ordered;
use glam::{IVec3, Vec3};
use std::ops::Range;

/// The candidates in a flock that a counting sort has put in order.
pub fn candidates_by_starts(ordered: &Ordered, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
    let start = |cell: usize| ordered.cell_starts[cell] as usize;
    around(&ordered.grid, position, |cell| visit(start(cell)..start(cell + 1)));
}

/// The candidates in a flock that a bitonic sort has put in order.
pub fn candidates_by_ranges(ordered: &Ordered, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
    around(&ordered.grid, position, |cell| {
        let [begin, end] = ordered.cell_ranges[cell];
        // An empty cell has a mark instead of a range.
        if begin < end {
            visit(begin as usize..end as usize);
        }
    });
}

/// Calls `visit` with the number of every cell around that of `position`, and its own.
fn around(grid: &Grid, position: Vec3, mut visit: impl FnMut(usize)) {
    let cell = cell_of(grid, position).as_ivec3();
    for dy in -1..=1 {
        for dz in -1..=1 {
            for dx in -1..=1 {
                let other = (cell + IVec3::new(dx, dy, dz)).as_uvec3();
                // Below cell 0 a number wraps around to a huge one.
                if other.cmplt(grid.dims).all() {
                    visit(cell_id(grid, other) as usize);
                }
            }
        }
    }
}
