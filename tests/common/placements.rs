//! Placements of the boids of a test.

use glam::Vec3;
use starlings::flock::grid::cell_of;
use starlings::flock::random::{self, Stream};
use starlings::flock::{BoidState, Settings, SpawnShape, Walls, spawn};

/// A way to place a flock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// As spawned: uniform in the box.
    Uniform,
    /// All in one cell in the middle of the grid.
    OneCell,
    /// Each in its own cell, while there are enough cells.
    OnePerCell,
    /// Each on a border of its cell along one axis, and every eighth on a corner.
    OnBorders,
    /// Spread over a box four times as wide, so that most are outside the grid.
    Outside,
}

/// Settings for a test of `placement`, with the preset's density unless the placement needs more cells than boids.
pub fn settings(preset: &str, boids: u32, placement: Placement) -> Settings {
    let settings = Settings::preset(preset).expect("a known preset").with_boids(boids);
    // In space and without an end, whatever the preset's world.
    let walls = if settings.walls == Walls::Wrap { Walls::None } else { settings.walls };
    let settings = Settings { spawn: SpawnShape::Box, walls, ..settings.with_plane(false) };
    // A quarter of the density: six times as many cells as boids.
    if placement == Placement::OnePerCell { settings.with_density(0.25) } else { settings }
}

/// The flock of `settings`, placed.
pub fn place(settings: &Settings, placement: Placement) -> BoidState {
    let mut state = spawn(settings);
    let grid = settings.grid();
    // In [0, 1)³, and independent of where the boids were spawned.
    let unit = |i: usize| random::in_cube(settings.seed + 1, Stream::Position, i as u64, 0) * 0.5 + 0.5;
    // A point well inside a cell.
    let inside = |i: usize| unit(i) * 0.98 + 0.01;
    match placement {
        Placement::Uniform => {}
        Placement::OneCell => {
            let middle = (grid.dims / 2).as_vec3();
            for (i, p) in state.position.iter_mut().enumerate() {
                *p = grid.origin + (middle + inside(i)) * grid.cell_size;
            }
        }
        Placement::OnePerCell => {
            for (i, p) in state.position.iter_mut().enumerate() {
                let id = i as u32 * (grid.cell_count / settings.boids);
                let (x, row) = (id % grid.dims.x, id / grid.dims.x);
                let cell = glam::UVec3::new(x, row / grid.dims.z, row % grid.dims.z);
                *p = grid.origin + (cell.as_vec3() + inside(i)) * grid.cell_size;
                debug_assert_eq!(cell_of(&grid, *p), cell);
            }
        }
        Placement::OnBorders => {
            for (i, p) in state.position.iter_mut().enumerate() {
                let place = unit(i) * grid.dims.as_vec3();
                let corner = grid.origin + place.round() * grid.cell_size;
                if i % 8 == 0 { *p = corner } else { p[i % 3] = corner[i % 3] }
            }
        }
        Placement::Outside => {
            for (i, p) in state.position.iter_mut().enumerate() {
                *p = settings.world.center + settings.world.half_size * (unit(i) * 2.0 - Vec3::ONE) * 4.0;
            }
        }
    }
    state
}
