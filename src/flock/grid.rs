//! The neighbor grid: how fine it is, and which cell a position lies in.
//!
//! # Size of a cell
//! Along y and z a cell is as wide as the search radius R, with a margin: `R * (1 + 2^-10)`. Along x it is a
//! quarter of that, because the search reads whole rows of x-adjacent cells and cuts each row to the part
//! that the sphere of radius R reaches. A world with more room than boids would need more cells than it is
//! worth, so cells grow until there are at most `max(4 * boids, 65,536)` of them, and at most 2^29.
//! They never shrink below the sizes above.
//!
//! # Why no neighbor is lost
//! Let u = 2^-23 bound the relative error of one rounded operation (one unit in the last place; Vulkan promises
//! correctly rounded additions and multiplications but not the direction), and let L be the grid's longest
//! edge plus R. Positions outside the box belong to the border cells, which thereby reach to infinity.
//!
//! * **Rows.** Two boids within R of each other must lie in the same or in adjacent rows. The cell coordinate
//!   `t = (p - origin) * inv_cell_size` has a relative error below 3u, and `t <= dims`, so the coordinates of the
//!   two boids differ by at most `R * inv_cell_size + 6u * dims <= 1 - 2^-11 + 6 * 2^-23 * 512 < 1` for up to
//!   [`MAX_ROWS`] = 512 rows: hence the margin in the cell size, and that limit. Rounding and clamping are
//!   monotone, so boids outside the box obey the same bound.
//! * **Distance to a row, ends of a row.** `slack = 2^-19 * L = 16 u * L` exceeds the errors that the search
//!   makes when it subtracts a border from a position (a handful of roundings of values up to 2 L). The search
//!   shortens each gap by it and lengthens each half chord by it. Further out than 2 L both ends of a row are
//!   clamped to the border cell, which is then the right answer.
//!
//! # Quantized positions
//! One search first compares positions in [`QUANTA_PER_RADIUS`] steps of the radius, a byte an axis in one word, and
//! [`may_be_near`] must be true of every two boids within R. With `v` a coordinate in quanta, a candidate stores
//! `floor(v_b)` in a byte, the boid that looks for it `floor(v_a + 1/2)`, and the difference of the words holds in each byte
//! `v_a - v_b + e`. The two floors and the shift contribute more than -1/2 and less than 3/2 to e, and a byte below that
//! borrows takes 1 off or nothing: |e| < 1.5. Then:
//!
//! * Bytes wrap around. The byte of least magnitude that is congruent to a difference is never larger than it.
//! * Coordinates are clamped, which brings no two of them further apart.
//! * A coordinate is off by at most 3u of its magnitude, which the clamp bounds; `QUANTA_SLACK` of the bound exceeds
//!   twice that for two boids.
//!
//! So the bytes' squares add up to no more than the square of `84 + (1.5 + slack) * sqrt(3)`, and one more for the fourth byte,
//! of which the third may have borrowed: added to [`Grid::near_bias`] they stay below zero. At most 1.1 times as many boids
//! pass as lie within R.
//!
//! # Rows in columns
//! The same search does its arithmetic in columns, the width of a cell along x, and reads what does not depend on the boid from
//! [`chords`]. With `w = t - cell * cell_size`, a gap is `(size - w) - slack` upwards and `w - slack` downwards. Everything
//! is rounded a few times more than above, where a length is scaled: each time by less than u of a value up to 2 L, and 16 u L
//! allow for all of them.

use super::layout::{Chords, Grid, GridRow, ROWS, World};
use glam::{DVec3, UVec3, Vec3};

/// Cells along x for one search radius.
pub const X_SUBDIVISION: u32 = 4;

/// Cells along y and along z, at most: see the module's rounding argument.
pub const MAX_ROWS: u32 = 512;

/// Cells along x, at most: far below the 2^24 whole numbers that single precision can tell apart.
pub const MAX_COLUMNS: u32 = 1 << 20;

/// Cells in a grid, at most.
pub const MAX_CELLS: u32 = 1 << 29;

/// Cells that even the smallest flock may have.
const SMALL_GRID: u32 = 1 << 16;

/// Quanta of a quantized position in one search radius. Differences up to 128 quanta are told apart, and candidates in
/// adjacent rows are up to 168 away: those wrap around to 88 and are still too far.
pub const QUANTA_PER_RADIUS: f64 = 84.0;

/// Quanta from the lower corner to where quantized positions are clamped, at most: they fit into an `int`.
const MOST_QUANTA: f64 = (1u32 << 30) as f64;

/// Rounding error of a difference of quantized positions, in quanta for each quantum of the largest coordinate.
const QUANTA_SLACK: f64 = 1.0 / (1u32 << 19) as f64;

/// By how much a cell is wider than the radius, relatively.
const MARGIN: f64 = 1.0 / 1024.0;

/// The radius whose chords are cut, as a factor on R²: rounding may let a boid slightly beyond R pass d² <= R². Twin of the
/// constant in `glsl/include/rows.glsl`.
pub const WIDENED: f32 = 1.0 + 1.0 / 262_144.0;

/// `slack` in units of the grid's longest edge plus the radius.
const SLACK: f64 = 1.0 / (1u32 << 19) as f64;

/// The grid for a search of radius `radius` among `boids` boids in `world`, with `columns` cells along x for one radius:
/// [`X_SUBDIVISION`], or 1 for a search that looks at whole cells.
///
/// Never fails for a world and a radius that [`Settings::validate`](super::settings::Settings::validate)
/// accepts; the radius may be larger than the world (one row) or tiny in a giant world (cells grow).
pub fn fit(world: &World, radius: f32, boids: u32, columns: u32) -> Grid {
    let radius = f64::from(radius);
    let size = world.half_size.as_dvec3() * 2.0;
    let most_cells = f64::from(boids.saturating_mul(4).clamp(SMALL_GRID, MAX_CELLS));
    // Whole cells must be as sure to be adjacent along x as rows are along y and z.
    let most_columns = if columns == 1 { MAX_ROWS } else { MAX_COLUMNS };
    let most_along = DVec3::new(f64::from(most_columns), f64::from(MAX_ROWS), f64::from(MAX_ROWS));

    let finest = radius * (1.0 + MARGIN) * DVec3::new(1.0 / f64::from(columns), 1.0, 1.0);
    let mut cell_size = finest.max(size / most_along);
    let mut dims = cells_along(size, cell_size);
    // Growing all axes alike keeps the shape of a cell. An axis that is down to one cell no longer helps, so
    // the factor may fall short and the loop goes on; 1% a turn at least ends it.
    while dims.element_product() > most_cells {
        cell_size *= (dims.element_product() / most_cells).cbrt().max(1.01);
        dims = cells_along(size, cell_size);
    }

    let longest = (dims * cell_size).max_element();
    let dims = dims.as_uvec3();
    let quanta_per_unit = QUANTA_PER_RADIUS / radius;
    let most_quanta = (2.0 * longest * quanta_per_unit).min(MOST_QUANTA);
    Grid {
        origin: world.center - world.half_size,
        cell_size: cell_size.as_vec3(),
        inv_cell_size: cell_size.recip().as_vec3(),
        dims,
        slack: (SLACK * (longest + radius)) as f32,
        cell_count: dims.element_product(),
        quanta_per_unit: quanta_per_unit as f32,
        most_quanta: most_quanta as f32,
        near_bias: near_bias(most_quanta),
    }
}

/// [`Grid::near_bias`] for coordinates of up to `most_quanta`.
fn near_bias(most_quanta: f64) -> i32 {
    let error = 1.5 + most_quanta * QUANTA_SLACK;
    let farthest = QUANTA_PER_RADIUS * (1.0 + MARGIN / 2.0) + error * 3.0_f64.sqrt();
    -((farthest * farthest + 1.0).ceil() as i32) - 1
}

/// How the rows around a boid are cut to the sphere of radius `radius` in `grid`: see "Rows in columns" above.
pub fn chords(grid: &Grid, radius: f32) -> Chords {
    let columns = f64::from(grid.inv_cell_size.x);
    let gap = |step: i32, cell_size: f32| {
        let border = if step > 0 { f64::from(cell_size) } else { 0.0 };
        [((border - f64::from(grid.slack)) * columns) as f32, (f64::from(-step) * columns) as f32]
    };
    let row = |index: usize| {
        let (dy, dz) = (index as i32 / 3 - 1, index as i32 % 3 - 1);
        let (width, depth) = (grid.dims.x as i32, grid.dims.z as i32);
        let cells = width * (dz + depth * dy);
        GridRow { gap_y: gap(dy, grid.cell_size.y), gap_z: gap(dz, grid.cell_size.z), cells: cells as u32, unused: 0 }
    };
    let reach = f64::from(radius) * columns;
    Chords {
        radius_squared: (reach * reach * f64::from(WIDENED)) as f32,
        slack: (f64::from(grid.slack) * columns) as f32,
        last_column: (grid.dims.x - 1) as f32,
        rows: std::array::from_fn::<_, ROWS, _>(row),
    }
}

fn cells_along(size: DVec3, cell_size: DVec3) -> DVec3 {
    (size / cell_size).ceil().max(DVec3::ONE)
}

/// The cell along one axis of a point `t` above the grid's lower corner, clamped into the grid. Monotone in `t`;
/// NaN gives cell 0. Twin of `cell_along` in `glsl/include/grid.glsl`.
pub fn cell_along(t: f32, inv_cell_size: f32, dims: u32) -> u32 {
    let cells = t * inv_cell_size;
    // NaN is not above 0 either.
    if cells > 0.0 { cells.min((dims - 1) as f32) as u32 } else { 0 }
}

/// The cell that `position` lies in. Twin of `cell_of` in `glsl/include/grid.glsl`: the same operations on the same
/// single-precision numbers in the same order, hence the same cell.
pub fn cell_of(grid: &Grid, position: Vec3) -> UVec3 {
    let t = position - grid.origin;
    UVec3::new(
        cell_along(t.x, grid.inv_cell_size.x, grid.dims.x),
        cell_along(t.y, grid.inv_cell_size.y, grid.dims.y),
        cell_along(t.z, grid.inv_cell_size.z, grid.dims.z),
    )
}

/// The number of a cell: x-adjacent cells are neighbors in memory.
pub fn cell_id(grid: &Grid, cell: UVec3) -> u32 {
    cell.x + grid.dims.x * (cell.z + grid.dims.z * cell.y)
}

/// The position in whole quanta modulo 256, a byte an axis. Twin of `pack_quanta` in
/// `glsl/include/grid.glsl`.
fn pack_quanta(grid: &Grid, position: Vec3, shift: f32) -> u32 {
    let most = Vec3::splat(grid.most_quanta);
    let quanta = (position - grid.origin) * grid.quanta_per_unit;
    let shifted = quanta.max(-most).min(most) + shift;
    let byte = |quanta: f32| (quanta.floor() as i32 as u32) & 255;
    byte(shifted.x) | byte(shifted.y) << 8 | byte(shifted.z) << 16
}

/// A boid as a candidate. Twin of `quantized` in `glsl/include/grid.glsl`: the same bits.
pub fn quantized(grid: &Grid, position: Vec3) -> u32 {
    pack_quanta(grid, position, 0.0)
}

/// A boid that looks for others. Twin of `quantized_self` in `glsl/include/grid.glsl`: the same bits.
pub fn quantized_self(grid: &Grid, position: Vec3) -> u32 {
    pack_quanta(grid, position, 0.5)
}

/// Whether `candidate` may be within the radius of `looking`: always so if it is. Twin of `may_be_near` in
/// `glsl/searches/quantized_grid.glsl`.
pub fn may_be_near(grid: &Grid, looking: u32, candidate: u32) -> bool {
    let bytes = looking.wrapping_sub(candidate).to_le_bytes().map(|byte| i32::from(byte as i8));
    bytes.iter().map(|byte| byte * byte).sum::<i32>() + grid.near_bias < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(size: Vec3) -> World {
        World { center: Vec3::ZERO, half_size: size * 0.5 }
    }

    fn check(grid: &Grid, radius: f32) {
        assert_eq!(grid.cell_count, grid.dims.element_product());
        assert!(grid.cell_count <= MAX_CELLS);
        assert!(grid.dims.y <= MAX_ROWS && grid.dims.z <= MAX_ROWS && grid.dims.x <= MAX_COLUMNS);
        assert!(grid.dims.min_element() >= 1);
        assert!(grid.cell_size.y > radius && grid.cell_size.z > radius, "{grid:?}");
        assert!(grid.cell_size.x * 4.0 > radius);
        assert!(grid.slack > 0.0 && grid.slack.is_finite());
        assert!(grid.inv_cell_size.is_finite() && grid.inv_cell_size.min_element() > 0.0);
    }

    #[test]
    fn a_usual_flock_has_cells_of_the_radius() {
        let grid = fit(&world(Vec3::splat(100.0)), 2.0, 1_000_000, X_SUBDIVISION);
        check(&grid, 2.0);
        assert_eq!(grid.cell_size, Vec3::new(0.5, 2.0, 2.0) * (1.0 + 1.0 / 1024.0));
        assert_eq!(grid.dims, UVec3::new(200, 50, 50));
    }

    #[test]
    fn extremes_stay_bounded() {
        for (size, radius, boids) in [
            (Vec3::splat(1e6), 1e-6, 1),
            (Vec3::splat(1e6), 1e-6, 1 << 30),
            (Vec3::splat(1e-6), 1e6, 1 << 30),
            (Vec3::new(1e6, 1e-6, 1e-6), 1e-6, 1_000),
            (Vec3::new(1e-6, 1e6, 1e-6), 1e-6, 1_000),
            (Vec3::new(1e6, 1e6, 1e-6), 1e-3, 1 << 20),
            (Vec3::new(1e-6, 1e6, 1e6), 1.0, 1 << 20),
        ] {
            let grid = fit(&world(size), radius, boids, X_SUBDIVISION);
            check(&grid, radius);
            let whole = fit(&world(size), radius, boids, 1);
            check(&whole, radius);
            assert!(whole.cell_size.x > radius && whole.dims.x <= MAX_ROWS, "{whole:?}");
            assert!(grid.cell_count <= boids.saturating_mul(4).max(SMALL_GRID), "{size} {radius} {boids}");
        }
        assert_eq!(fit(&world(Vec3::ONE), 5.0, 100, X_SUBDIVISION).dims, UVec3::ONE);
    }

    #[test]
    fn cells_grow_no_more_than_needed() {
        let grid = fit(&world(Vec3::splat(1000.0)), 1.0, 100_000, X_SUBDIVISION);
        assert!(grid.cell_count <= 400_000 && grid.cell_count > 200_000, "{grid:?}");
    }

    #[test]
    fn any_position_has_a_cell() {
        let grid = fit(&world(Vec3::splat(10.0)), 1.0, 1_000, X_SUBDIVISION);
        let last = grid.dims - 1;
        assert_eq!(cell_of(&grid, Vec3::splat(f32::NAN)), UVec3::ZERO);
        assert_eq!(cell_of(&grid, Vec3::splat(f32::INFINITY)), last);
        assert_eq!(cell_of(&grid, Vec3::splat(f32::NEG_INFINITY)), UVec3::ZERO);
        assert_eq!(cell_of(&grid, Vec3::splat(1e30)), last);
        assert_eq!(cell_of(&grid, Vec3::splat(-5.0)), UVec3::ZERO);
        assert_eq!(cell_id(&grid, last), grid.cell_count - 1);
    }
}
