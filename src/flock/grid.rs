//! The neighbor grid: the size of its cells, and the cell of a position.
//!
//! # Size of a cell
//! Along y and z a cell is as wide as the search radius R, with a margin: `R * (1 + 2^-10)`, or twice that margin along
//! an axis with more than 512 rows. Along x it is a quarter of R and the margin, because the search reads whole rows of
//! x-adjacent cells and cuts each row to the part that the sphere of radius R reaches. A large world with few boids
//! would need too many cells, so cells grow until there are at most `max(4 * boids, 65,536)` of them, and at most 2^30.
//! They never shrink below the sizes above.
//!
//! # Why no neighbor is missed
//! Let u = 2^-23 bound the relative error of one rounded operation (one unit in the last place; Vulkan guarantees
//! correctly rounded additions and multiplications but not the direction), and let L be the grid's longest edge plus R.
//! Positions outside the box belong to the border cells, which so extend to infinity.
//!
//! * **Rows.** Two boids within R of each other must lie in the same or in adjacent rows. The cell coordinate `t = (p -
//!   origin) * inv_cell_size` has a relative error below 3u, and `t <= dims`, so the coordinates of the two boids
//!   differ by at most `R * inv_cell_size + 6u * dims <= 1 - 2^-11 + 6 * 2^-23 * 512 < 1` for up to 512 rows, and with
//!   twice the margin by less than 1 for up to [`MAX_ROWS`] = 1,024: hence the margin in the cell size, and that limit.
//!   Rounding and clamping are monotone, so boids outside the box obey the same bound.
//! * **Distance to a row, ends of a row.** `slack = 2^-19 * L = 16 u * L` exceeds the errors that the search makes when
//!   it subtracts a border from a position (a handful of roundings of values up to 2 L). The search shortens each gap
//!   by it and lengthens each half chord by it. Further out than 2 L both ends of a row are clamped to the border cell,
//!   which is then the right answer.
//!
//! On a torus the first and the last cell of each axis are beside each other, cells fill the period exactly but for a
//! rounding, which the margins above exceed, and all boids are within the box. Along an axis with fewer than three rows
//! each row is visited once, whole.

use super::layout::{Grid, World};
use super::torus::Torus;
use glam::{BVec3, DVec3, UVec3, Vec3};
use std::ops::Range;

/// Cells along x for one search radius.
pub const X_SUBDIVISION: u32 = 4;

/// Cells along y and along z, at most: see the module's rounding argument.
pub const MAX_ROWS: u32 = 1024;

/// Cells along y or z for which [`MARGIN`] suffices; with more, cells have twice that margin.
const FEW_ROWS: f64 = 512.0;

/// Cells along x, at most: far below the 2^24 whole numbers that single precision can tell apart.
pub const MAX_COLUMNS: u32 = 1 << 20;

/// Cells in a grid, at most.
pub const MAX_CELLS: u32 = 1 << 30;

/// Cells that a flock of any size may have.
const SMALL_GRID: u32 = 1 << 16;

/// The relative margin by which a cell is wider than the radius.
pub(super) const MARGIN: f64 = 1.0 / 1024.0;

/// The radius whose chords are cut, as a factor on R²: rounding may let a boid slightly beyond R pass d² <= R². Twin of
/// the constant in `glsl/include/rows.glsl`.
pub const WIDENED: f32 = 1.0 + 1.0 / 262_144.0;

/// `slack` in units of the grid's longest edge plus the radius.
const SLACK: f64 = 1.0 / (1u32 << 19) as f64;

/// The grid for a search of radius `radius` among `boids` boids in `world`, with `columns` cells along x for one
/// radius: [`X_SUBDIVISION`], or 1 for a search that visits whole cells. On a torus (`wraps`) whole cells fill the
/// period.
///
/// Never fails for a world and a radius that [`Settings::validate`](super::settings::Settings::validate) accepts; the
/// radius may be larger than the world (one row) or tiny in a giant world (cells grow).
pub fn fit(world: &World, radius: f32, boids: u32, columns: u32, wraps: bool) -> Grid {
    let radius = f64::from(radius);
    let size = if wraps { Torus::of(world).period() } else { world.half_size.as_dvec3() * 2.0 };
    let cells_along = |cell_size: DVec3| {
        let cells = size / cell_size;
        if wraps { cells.floor() } else { cells.ceil() }.max(DVec3::ONE)
    };
    let most_cells = f64::from(boids.saturating_mul(4).clamp(SMALL_GRID, MAX_CELLS));
    // Whole cells need the same margin along x as rows along y and z.
    let most_columns = if columns == 1 { MAX_ROWS } else { MAX_COLUMNS };
    let most_along = DVec3::new(f64::from(most_columns), f64::from(MAX_ROWS), f64::from(MAX_ROWS));

    let narrow = radius * (1.0 + MARGIN) * DVec3::new(1.0 / f64::from(columns), 1.0, 1.0);
    let wide = narrow * (1.0 + 2.0 * MARGIN) / (1.0 + MARGIN);
    let few = (size / narrow).cmple(DVec3::splat(FEW_ROWS)) | BVec3::new(columns > 1, false, false);
    let finest = DVec3::select(few, narrow, wide);
    let mut cell_size = finest.max(size / most_along);
    let mut dims = cells_along(cell_size);
    // Growing all axes alike keeps the shape of a cell. An axis with one cell does not reduce the count, so the factor
    // may be too small and the loop continues; at least 1% per iteration ensures that it ends.
    while dims.element_product() > most_cells {
        cell_size *= (dims.element_product() / most_cells).cbrt().max(1.01);
        dims = cells_along(cell_size);
    }
    if wraps {
        // A flat world has one cell of no length, which stays as wide as the radius.
        cell_size = DVec3::select(size.cmpgt(DVec3::ZERO), size / dims, cell_size);
    }

    let longest = (dims * cell_size).max_element();
    let dims = dims.as_uvec3();
    Grid {
        origin: world.center - world.half_size,
        cell_size: cell_size.as_vec3(),
        inv_cell_size: cell_size.recip().as_vec3(),
        dims,
        slack: (SLACK * (longest + radius)) as f32,
        cell_count: dims.element_product(),
        wraps: wraps.into(),
    }
}

/// The cell along one axis of a point `t` above the grid's lower corner, clamped into the grid. Monotone in `t`; NaN
/// gives cell 0. Twin of `cell_along` in `glsl/include/grid.glsl`.
pub fn cell_along(t: f32, inv_cell_size: f32, dims: u32) -> u32 {
    let cells = t * inv_cell_size;
    // NaN is not above 0 either.
    if cells > 0.0 { cells.min((dims - 1) as f32) as u32 } else { 0 }
}

/// The cell of `position`. Twin of `cell_of` in `glsl/include/grid.glsl`: the same operations on the same
/// single-precision numbers in the same order, hence the same cell.
pub fn cell_of(grid: &Grid, position: Vec3) -> UVec3 {
    let t = position - grid.origin;
    UVec3::new(
        cell_along(t.x, grid.inv_cell_size.x, grid.dims.x),
        cell_along(t.y, grid.inv_cell_size.y, grid.dims.y),
        cell_along(t.z, grid.inv_cell_size.z, grid.dims.z),
    )
}

/// The number of a cell: x-adjacent cells are adjacent in memory.
pub fn cell_id(grid: &Grid, cell: UVec3) -> u32 {
    cell.x + grid.dims.x * (cell.z + grid.dims.z * cell.y)
}

/// The cell `step` cells from `cell` along an axis of `dims`; none if there is none, or if another step leads to it: of
/// two cells that wrap, each is above and below the other. Twin of `cell_beside` in `glsl/include/torus.glsl`.
pub fn cell_beside(cell: u32, step: i32, dims: u32, wraps: bool) -> Option<u32> {
    if wraps {
        let again = if step < 0 { dims < 3 } else { step > 0 && dims < 2 };
        return (!again).then(|| (cell as i32 + step).rem_euclid(dims as i32) as u32);
    }
    cell.checked_add_signed(step).filter(|&beside| beside < dims)
}

/// The columns of a row of `dims` whose ends are one place, between `begin` and `end` columns from its lower end: those
/// between the walls, and those beyond one of them. Each at most once. Twin of `columns_around` in
/// `glsl/include/torus.glsl`.
pub fn columns_around(begin: f32, end: f32, dims: u32) -> [Range<u32>; 2] {
    let columns = dims as f32;
    // Not if one is NaN either.
    if end - begin < columns - 1.0 {
        let first = begin.clamp(-columns, columns - 1.0).floor();
        let last = end.clamp(first, first + columns - 1.0).floor();
        let (before, behind, count) = (first as i32, last as i32 + 1, dims as i32);
        let range = |from: i32, to: i32| from as u32..to as u32;
        return if before < 0 {
            [range(0, behind.max(0)), range(before + count, count.min(behind + count))]
        } else {
            [range(before, behind.min(count)), range(0, (behind - count).max(0))]
        };
    }
    [0..dims, 0..0]
}

/// The columns of any row on the chord around `x`, of which this is the square of a half; on a torus also beyond a
/// wall. Twin of `boids_on_chord` in `glsl/include/rows.glsl`.
pub fn columns_on_chord(grid: &Grid, x: f32, half_squared: f32) -> [Range<u32>; 2] {
    let half_chord = half_squared.sqrt() + grid.slack;
    let (begin, end) = (x - half_chord, x + half_chord);
    if grid.wraps != 0 {
        return columns_around(begin * grid.inv_cell_size.x, end * grid.inv_cell_size.x, grid.dims.x);
    }
    let along = |x: f32| cell_along(x, grid.inv_cell_size.x, grid.dims.x);
    [along(begin)..along(end) + 1, 0..0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_beyond_a_wall_are_those_of_the_other_end() {
        for (begin, end, dims, within, beyond) in [
            (2.5, 6.5, 10, 2..7, 0..0),
            (-1.5, 2.5, 10, 0..3, 8..10),
            (7.5, 12.0, 10, 7..10, 0..3),
            (-0.25, 0.25, 10, 0..1, 9..10),
            (0.0, 8.5, 10, 0..9, 0..0),
            (0.5, 9.5, 10, 0..10, 0..0),
            (-8.5, 0.25, 10, 0..1, 1..10),
            (f32::NAN, 1.0, 10, 0..10, 0..0),
            // Beyond all columns: each once.
            (1e30, 1e30, 10, 9..10, 0..9),
        ] {
            let got = columns_around(begin, end, dims);
            assert_eq!(got[0], within, "{begin} to {end}");
            assert!(got[1] == beyond || got[1].is_empty() && beyond.is_empty(), "{begin} to {end}: {got:?}");
        }
    }

    #[test]
    fn cells_of_a_torus_fill_its_period() {
        for (size, radius) in
            [(Vec3::splat(100.0), 2.0), (Vec3::new(4.0, 6.1, 7.0), 2.0), (Vec3::new(5e4, 9.0, 1e3), 1.0)]
        {
            for columns in [1, X_SUBDIVISION] {
                let grid = fit(&world(size), radius, 1_000, columns, true);
                check(&grid, radius);
                let filled = grid.dims.as_dvec3() * grid.cell_size.as_dvec3() / size.as_dvec3();
                assert!((filled - 1.0).abs().max_element() < 1e-6, "{grid:?}");
            }
        }
    }

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
        let grid = fit(&world(Vec3::splat(100.0)), 2.0, 1_000_000, X_SUBDIVISION, false);
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
            let grid = fit(&world(size), radius, boids, X_SUBDIVISION, false);
            check(&grid, radius);
            let whole = fit(&world(size), radius, boids, 1, false);
            check(&whole, radius);
            assert!(whole.cell_size.x > radius && whole.dims.x <= MAX_ROWS, "{whole:?}");
            assert!(grid.cell_count <= boids.saturating_mul(4).max(SMALL_GRID), "{size} {radius} {boids}");
        }
        assert_eq!(fit(&world(Vec3::ONE), 5.0, 100, X_SUBDIVISION, false).dims, UVec3::ONE);
    }

    #[test]
    fn long_worlds_have_cells_of_the_radius_too() {
        let long = |rows: f32| fit(&world(Vec3::new(10.0, 2.0 * rows, 10.0)), 2.0, 1_000_000, X_SUBDIVISION, false);
        for (rows, wide) in [(512.0, false), (513.5, true), (1000.0, true)] {
            let grid = long(rows);
            check(&grid, 2.0);
            let margin = if wide { 2.0 } else { 1.0 } * MARGIN as f32;
            assert_eq!(
                grid.cell_size,
                Vec3::new(0.5 * (1.0 + MARGIN as f32), 2.0 * (1.0 + margin), 2.0 * (1.0 + MARGIN as f32))
            );
            let (u, dims) = (2f64.powi(-23), f64::from(grid.dims.y));
            assert!(2.0 * f64::from(grid.inv_cell_size.y) + 6.0 * u * dims < 1.0, "{grid:?}");
        }
        let longer = long(3000.0);
        check(&longer, 2.0);
        assert!(longer.cell_size.y > 5.8, "{longer:?}");
    }

    #[test]
    fn cells_grow_no_more_than_needed() {
        let grid = fit(&world(Vec3::splat(1000.0)), 1.0, 100_000, X_SUBDIVISION, false);
        assert!(grid.cell_count <= 400_000 && grid.cell_count > 200_000, "{grid:?}");
    }

    #[test]
    fn any_position_has_a_cell() {
        let grid = fit(&world(Vec3::splat(10.0)), 1.0, 1_000, X_SUBDIVISION, false);
        let last = grid.dims - 1;
        assert_eq!(cell_of(&grid, Vec3::splat(f32::NAN)), UVec3::ZERO);
        assert_eq!(cell_of(&grid, Vec3::splat(f32::INFINITY)), last);
        assert_eq!(cell_of(&grid, Vec3::splat(f32::NEG_INFINITY)), UVec3::ZERO);
        assert_eq!(cell_of(&grid, Vec3::splat(1e30)), last);
        assert_eq!(cell_of(&grid, Vec3::splat(-5.0)), UVec3::ZERO);
        assert_eq!(cell_id(&grid, last), grid.cell_count - 1);
    }
}
