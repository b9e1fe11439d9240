//! Which boids must be tested: the nine rows of `reference::searches::SortedGrid`, for eight boids at once.
//!
//! The same formulas in the same order, so `src/flock/grid.rs` argues for these, too, that no neighbor is lost; a fused
//! multiplication rounds less often, which its margins allow for.

use super::state::LANES;
use crate::flock::layout::Grid;
use crate::reference::lanes::{Lane, V3};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, i32x8};

/// The radius whose chords are cut, as a factor on R²: rounding may let a boid slightly beyond R pass d² <= R².
const WIDENED: f32 = 1.0 + 1.0 / 262_144.0;

/// Rows around a boid, its own included.
pub const ROWS: usize = 9;

/// The rows around each of eight boids, as numbers of cells. An empty row begins and ends at the same cell.
pub struct Rows {
    /// First cell on the chord.
    first: [[i32; LANES]; ROWS],
    /// The cell behind the last on the chord.
    end: [[i32; LANES]; ROWS],
    /// The cell behind the row.
    row_end: [[i32; LANES]; ROWS],
}

/// A run of boids in one row.
#[derive(Clone, Copy)]
pub struct Run {
    /// The first.
    pub first: u32,
    /// The one behind the last.
    pub end: u32,
    /// The one behind the last of the row. Those between `end` and this one are beyond the search radius.
    pub row_end: u32,
}

impl Rows {
    /// The rows around boids at `positions`.
    #[inline(always)]
    pub fn around<S: Simd>(grid: &Grid, radius: f32, positions: V3<f32x8<S>>) -> Rows {
        let simd = positions.x.simd;
        let mut rows = Rows { first: [[0; LANES]; ROWS], end: [[0; LANES]; ROWS], row_end: [[0; LANES]; ROWS] };
        let t = positions - grid.origin;
        let zero = t.x.constant(0.0);
        let last = grid.dims - 1;
        let cell_y = cell_along(t.y, grid.inv_cell_size.y, last.y);
        let cell_z = cell_along(t.z, grid.inv_cell_size.z, last.z);
        let (y, z): (f32x8<S>, f32x8<S>) = (cell_y.to_float(), cell_z.to_float());
        let radius_squared = zero.constant(radius * radius * WIDENED);
        let mut row = 0;
        for dy in -1..=1 {
            let gap_y = gap_to(dy, t.y, y, grid.cell_size.y, grid.slack);
            let in_y = is_cell(y + dy as f32, last.y);
            for dz in -1..=1 {
                let gap_z = gap_to(dz, t.z, z, grid.cell_size.z, grid.slack);
                let in_z = is_cell(z + dz as f32, last.z);
                let half_squared = radius_squared - gap_y * gap_y - gap_z * gap_z;
                let reached = in_y & in_z & zero.le(half_squared);
                let half_chord = Lane::sqrt(Lane::max(half_squared, zero)) + grid.slack;
                let first = cell_along(t.x - half_chord, grid.inv_cell_size.x, last.x);
                let end = cell_along(t.x + half_chord, grid.inv_cell_size.x, last.x) + 1;
                let (width, depth) = (grid.dims.x as i32, grid.dims.z as i32);
                let row_first = (cell_z + dz + (cell_y + dy) * depth) * width;
                let none = i32x8::splat(simd, 0);
                rows.first[row] = reached.select(row_first + first, none).into();
                rows.end[row] = reached.select(row_first + end, none).into();
                rows.row_end[row] = reached.select(row_first + width, none).into();
                row += 1;
            }
        }
        rows
    }

    /// Row number `row` of boid number `boid` of the eight, as boids.
    #[inline(always)]
    pub fn run(&self, row: usize, boid: usize, starts: &[u32]) -> Run {
        let start = |cell: i32| starts[cell as usize];
        Run {
            first: start(self.first[row][boid]),
            end: start(self.end[row][boid]),
            row_end: start(self.row_end[row][boid]),
        }
    }
}

#[inline(always)]
fn cell_along<S: Simd>(t: f32x8<S>, inv_cell_size: f32, last: u32) -> i32x8<S> {
    let cells = Lane::max(t * inv_cell_size, t.constant(0.0));
    Lane::min(cells, cells.constant(last as f32)).to_int()
}

#[inline(always)]
fn is_cell<L: Lane>(cell: L, last: u32) -> L::Mask {
    cell.constant(0.0).le(cell) & cell.le(cell.constant(last as f32))
}

/// How far, at least, a boid at `t` is from the boids of the next cells below (step -1) or above (step 1) its own.
#[inline(always)]
fn gap_to<L: Lane>(step: i32, t: L, cell: L, cell_size: f32, slack: f32) -> L {
    let gap = match step {
        0 => return t.constant(0.0),
        1 => (cell + 1.0) * cell_size - t,
        _ => t - cell * cell_size,
    };
    (gap - slack).max(t.constant(0.0))
}
