//! Quantized positions, and rows cut in columns, for the search `quantized-grid` in addition to the grid. With R, u and
//! L as in [`grid`](super::grid):
//!
//! # The test
//! The search first compares positions in [`QUANTA_PER_RADIUS`] steps of the radius, one byte per axis in one word, and
//! [`may_be_near`] must be true of every two boids within R. With `v` a coordinate in quanta, a candidate stores
//! `floor(v_b)` in a byte, the boid that looks for it `floor(v_a + 1/2)`, and the difference of the words holds in each
//! byte `v_a - v_b + e`. The two floors and the shift add more than -1/2 and less than 3/2 to e, and a borrow by the
//! byte below subtracts 0 or 1: |e| < 1.5. Then:
//!
//! * Bytes wrap around. The byte of least magnitude that is congruent to a difference is never larger than it.
//! * Coordinates are clamped, which does not increase their distance.
//! * The error of a coordinate is at most 3u of its magnitude, which the clamp bounds; `QUANTA_SLACK` of the bound
//!   exceeds twice that for two boids.
//!
//! So the bytes' squares add up to no more than the square of `84 + (1.5 + slack) * sqrt(3)`, and one more for the
//! fourth byte, from which the third may have borrowed: added to [`Quanta::near_bias`] the sum is below zero. At most
//! 1.1 times as many boids pass as are within R.
//!
//! On a torus the period along each axis is a multiple of 256 quanta, so a byte wraps around where the world does. For
//! that an axis has up to 128 quanta in a radius where it is shorter than three radii, and fewer than 84 elsewhere:
//! `near_bias` is for the axis that has most.
//!
//! # Rows in columns
//! The same search does its arithmetic in columns, the width of a cell along x, and reads values that do not depend on
//! the boid from [`chords`]. With `w = t - cell * cell_size`, a gap is `(size - w) - slack` upwards and `w - slack`
//! downwards. Scaling adds a few roundings to those of the grid, each by less than u of a value up to 2 L; 16 u L
//! allows for all of them.

use super::grid::{MARGIN, WIDENED};
use super::layout::{Chords, Grid, GridRow, Quanta, ROWS};
use glam::{DVec3, Vec3};

/// Quanta of a quantized position in one search radius. Differences up to 128 quanta are distinguished, and candidates
/// in adjacent rows are up to 168 away: these wrap around to 88, which is still too far.
pub const QUANTA_PER_RADIUS: f64 = 84.0;

/// Quanta in a turn of a byte.
const BYTE: f64 = 256.0;

/// Quanta from the lower corner to where quantized positions are clamped, at most: they fit into an `int`.
const MOST_QUANTA: f64 = (1u32 << 30) as f64;

/// Rounding error of a difference of quantized positions, in quanta for each quantum of the largest coordinate.
const QUANTA_SLACK: f64 = 1.0 / (1u32 << 19) as f64;

/// How positions in `grid` are quantized for a search of radius `radius`.
pub fn quanta(grid: &Grid, radius: f32) -> Quanta {
    let size = grid.dims.as_dvec3() * grid.cell_size.as_dvec3();
    let mut per_unit = DVec3::splat(QUANTA_PER_RADIUS / f64::from(radius));
    if grid.wraps != 0 {
        let turns = (size * per_unit / BYTE).floor().clamp(DVec3::ONE, DVec3::splat(MOST_QUANTA / (2.0 * BYTE)));
        // The cell of a flat world is one radius high, and its walls are not met.
        let is_flat = size.cmplt(DVec3::splat(1.5 * f64::from(radius)));
        per_unit = DVec3::select(is_flat, per_unit, turns * BYTE / size);
    }
    let most = (2.0 * (size * per_unit).max_element()).min(MOST_QUANTA);
    let near_bias = near_bias(per_unit.max_element() * f64::from(radius), most);
    Quanta { per_unit: per_unit.as_vec3(), most: most as f32, near_bias }
}

/// [`Quanta::near_bias`] for coordinates of up to `most_quanta`, with so many quanta in one search radius, at most.
fn near_bias(per_radius: f64, most_quanta: f64) -> i32 {
    let error = 1.5 + most_quanta * QUANTA_SLACK;
    let farthest = per_radius * (1.0 + MARGIN / 2.0) + error * 3.0_f64.sqrt();
    -((farthest * farthest + 1.0).ceil() as i32) - 1
}

/// How the rows around a boid are cut to the sphere of radius `radius` in `grid`: see "Rows in columns" above.
pub fn chords(grid: &Grid, radius: f32) -> Chords {
    let columns = f64::from(grid.inv_cell_size.x);
    let gap = |step: i32, cell_size: f32, dims: u32| {
        // On a torus, a row that lies on both sides: see `fit`.
        if grid.wraps != 0 && dims < 3 {
            return [0.0, 0.0];
        }
        let border = if step > 0 { f64::from(cell_size) } else { 0.0 };
        [((border - f64::from(grid.slack)) * columns) as f32, (f64::from(-step) * columns) as f32]
    };
    let row = |index: usize| {
        let (dy, dz) = (index as i32 / 3 - 1, index as i32 % 3 - 1);
        let (width, depth) = (grid.dims.x as i32, grid.dims.z as i32);
        let cells = width * (dz + depth * dy);
        let gap_y = gap(dy, grid.cell_size.y, grid.dims.y);
        let gap_z = gap(dz, grid.cell_size.z, grid.dims.z);
        GridRow { gap_y, gap_z, cells: cells as u32, unused: 0 }
    };
    let reach = f64::from(radius) * columns;
    Chords {
        radius_squared: (reach * reach * f64::from(WIDENED)) as f32,
        slack: (f64::from(grid.slack) * columns) as f32,
        last_column: (grid.dims.x - 1) as f32,
        rows: std::array::from_fn::<_, ROWS, _>(row),
    }
}

/// The position in whole quanta modulo 256, one byte per axis. Twin of `pack_quanta` in `glsl/include/quanta.glsl`.
fn pack_quanta(grid: &Grid, scale: &Quanta, position: Vec3, shift: f32) -> u32 {
    let most = Vec3::splat(scale.most);
    let quanta = (position - grid.origin) * scale.per_unit;
    let shifted = quanta.max(-most).min(most) + shift;
    let byte = |quanta: f32| (quanta.floor() as i32 as u32) & 255;
    byte(shifted.x) | byte(shifted.y) << 8 | byte(shifted.z) << 16
}

/// A boid as a candidate. Twin of `quantized` in `glsl/include/quanta.glsl`: the same bits.
pub fn quantized(grid: &Grid, scale: &Quanta, position: Vec3) -> u32 {
    pack_quanta(grid, scale, position, 0.0)
}

/// A boid that looks for others. Twin of `quantized_self` in `glsl/include/quanta.glsl`: the same bits.
pub fn quantized_self(grid: &Grid, scale: &Quanta, position: Vec3) -> u32 {
    pack_quanta(grid, scale, position, 0.5)
}

/// Whether `candidate` may be within the radius of `looking`; true if it is. Twin of `may_be_near` in
/// `glsl/searches/quantized_grid.glsl`.
pub fn may_be_near(scale: &Quanta, looking: u32, candidate: u32) -> bool {
    let bytes = looking.wrapping_sub(candidate).to_le_bytes().map(|byte| i32::from(byte as i8));
    bytes.iter().map(|byte| byte * byte).sum::<i32>() + scale.near_bias < 0
}
