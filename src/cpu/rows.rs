//! Which boids must be tested: the nine rows of `reference/searches/sorted_grid.rs`, for some boids of one row
//! together.
//!
//! Each row is cut to the union of those boids' chords. The eight rows around their own are in lanes, and the boids are
//! processed one by one, so no comparison crosses lanes.
//!
//! The formulas are those of that search, so the argument in `src/flock/grid.rs` that no neighbor is lost applies here
//! too; a fused multiply-add rounds less often, which its margins allow for.

use super::state::Boid;
use crate::flock::grid::{WIDENED, cell_beside, columns_around};
use crate::flock::layout::Grid;
use crate::laws::lanes::Lane;
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, i32x8};
use std::ops::Range;

/// Rows around a row.
const AROUND: usize = 8;

/// Steps to them along y and z.
const STEPS: [[i32; 2]; AROUND] = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

/// Distance to a row outside the grid: beyond every radius.
const NOWHERE: f32 = 1e30;

/// A row and the eight around it.
#[derive(Clone, Copy)]
pub struct Rows<'a, S: Simd> {
    grid: &'a Grid,
    radius: f32,
    /// Along y and z: where the gap to a row is `t * slope + intercept`, if that is not negative.
    slope: [f32x8<S>; 2],
    intercept: [f32x8<S>; 2],
    /// The first cell of each row around.
    first: i32x8<S>,
    /// The first cell of the row itself.
    own: i32,
}

/// The runs of cells whose boids must be tested.
pub struct Runs {
    /// In the boids' own row.
    pub own: Range<u32>,
    /// In the rows around it. Some may be empty.
    pub around: [Range<u32>; AROUND],
    /// On a torus, what lies beyond its walls: in the boids' own row, and in the rows around it.
    pub beyond: Option<(Range<u32>, [Range<u32>; AROUND])>,
}

impl<'a, S: Simd> Rows<'a, S> {
    /// The row of cells (y, z), and those around it.
    #[inline(always)]
    pub fn around(simd: S, grid: &'a Grid, radius: f32, y: u32, z: u32) -> Self {
        let (mut slope, mut intercept, mut first) = ([[0.0; AROUND]; 2], [[0.0; AROUND]; 2], [0; AROUND]);
        let row = |y: u32, z: u32| ((y * grid.dims.z + z) * grid.dims.x) as i32;
        for (lane, steps) in STEPS.into_iter().enumerate() {
            let wraps = grid.wraps != 0;
            let beside = |cell, step, dims| cell_beside(cell, step, dims, wraps);
            let (Some(to_y), Some(to_z)) = (beside(y, steps[0], grid.dims.y), beside(z, steps[1], grid.dims.z)) else {
                intercept[0][lane] = NOWHERE;
                continue;
            };
            first[lane] = row(to_y, to_z);
            let axes = [(y, grid.cell_size.y, grid.dims.y), (z, grid.cell_size.z, grid.dims.z)];
            for (axis, (own, size, dims)) in axes.into_iter().enumerate() {
                (slope[axis][lane], intercept[axis][lane]) = match steps[axis] {
                    0 => (0.0, 0.0),
                    // On a torus, a row on both sides of this one.
                    _ if wraps && dims < 3 => (0.0, 0.0),
                    1 => (-1.0, (own + 1) as f32 * size - grid.slack),
                    _ => (1.0, -(own as f32 * size) - grid.slack),
                };
            }
        }
        let eight = f32x8::simd_from;
        Rows {
            grid,
            radius,
            slope: [eight(simd, slope[0]), eight(simd, slope[1])],
            intercept: [eight(simd, intercept[0]), eight(simd, intercept[1])],
            first: i32x8::simd_from(simd, first),
            own: row(y, z),
        }
    }

    /// What the chords of `boids`, which are in the row, cover together.
    #[inline(always)]
    pub fn runs(&self, boids: &[Boid]) -> Runs {
        let simd = self.first.simd;
        let zero = f32x8::splat(simd, 0.0);
        let radius_squared = zero.constant(self.radius * self.radius * WIDENED);
        let (mut least, mut most) = (zero.constant(f32::MAX), zero.constant(f32::MIN));
        let (mut own_least, mut own_most) = (least, most);
        for boid in boids {
            let t = boid.everywhere(simd).position - self.grid.origin;
            let gap_y = Lane::max(Lane::mul_add(t.y, self.slope[0], self.intercept[0]), zero);
            let gap_z = Lane::max(Lane::mul_add(t.z, self.slope[1], self.intercept[1]), zero);
            let half_squared = radius_squared - gap_y * gap_y - gap_z * gap_z;
            let reached = zero.le(half_squared);
            let half_chord = Lane::sqrt(Lane::max(half_squared, zero)) + self.grid.slack;
            let (begin, end) = (t.x - half_chord, t.x + half_chord);
            // A boid whose position is NaN changes nothing.
            least = Lane::select(reached & begin.lt(least), begin, least);
            most = Lane::select(reached & most.lt(end), end, most);
            own_least = Lane::select(t.x.lt(own_least), t.x, own_least);
            own_most = Lane::select(own_most.lt(t.x), t.x, own_most);
        }
        let reach = self.radius + self.grid.slack;
        let (own_least, own_most) = (own_least - reach, own_most + reach);
        let own_first = i32x8::splat(simd, self.own);
        if self.grid.wraps != 0 {
            let [around, around_beyond] = self.cells_around(self.first, least, most);
            let [[own, ..], [own_beyond, ..]] = self.cells_around(own_first, own_least, own_most);
            return Runs { own, around, beyond: Some((own_beyond, around_beyond)) };
        }
        let around = self.cells(self.first, least, most);
        let [own, ..] = self.cells(own_first, own_least, own_most);
        Runs { own, around, beyond: None }
    }

    /// On a torus, the cells from `least` to `most` of the rows that begin at cell `first`, between the walls and
    /// beyond one; none if `least` exceeds `most`.
    #[inline(always)]
    fn cells_around(&self, first: i32x8<S>, least: f32x8<S>, most: f32x8<S>) -> [[Range<u32>; AROUND]; 2] {
        let inverse = self.grid.inv_cell_size.x;
        let (first, least, most): ([i32; AROUND], [f32; AROUND], [f32; AROUND]) =
            (first.into(), (least * inverse).into(), (most * inverse).into());
        let mut cells = [const { [const { 0..0 }; AROUND] }; 2];
        for lane in (0..AROUND).filter(|&lane| least[lane] <= most[lane]) {
            let first = first[lane] as u32;
            for (cells, columns) in cells.iter_mut().zip(columns_around(least[lane], most[lane], self.grid.dims.x)) {
                cells[lane] = first + columns.start..first + columns.end;
            }
        }
        cells
    }

    /// The cells from `least` to `most` of the rows that begin at cell `first`; none if `least` exceeds `most`.
    #[inline(always)]
    fn cells(&self, first: i32x8<S>, least: f32x8<S>, most: f32x8<S>) -> [Range<u32>; AROUND] {
        let some = least.le(most);
        let none = i32x8::splat(first.simd, 0);
        let (inverse, dims) = (self.grid.inv_cell_size.x, self.grid.dims.x);
        let begin: [i32; AROUND] = some.select(first + cell_along(least, inverse, dims), none).into();
        let end: [i32; AROUND] = some.select(first + cell_along(most, inverse, dims) + 1, none).into();
        let mut cells = [const { 0..0 }; AROUND];
        for (lane, cells) in cells.iter_mut().enumerate() {
            *cells = begin[lane] as u32..end[lane] as u32;
        }
        cells
    }
}

/// `flock::grid::cell_along`, in lanes: the same bits. NaN becomes 0, before or as it is rounded down.
#[inline(always)]
pub fn cell_along<S: Simd>(t: f32x8<S>, inv_cell_size: f32, dims: u32) -> i32x8<S> {
    let cells = Lane::max(t * inv_cell_size, t.constant(0.0));
    Lane::min(cells, cells.constant((dims - 1) as f32)).to_int()
}
