//! Twin of `glsl/include/closest_in_rows.glsl` and `closest_of_all.glsl`: the boid closest to another.
//!
//! In single precision and in the kernels' order, so that device and twin find the same one. Of several equally close boids,
//! it is the one of the lowest id.

use crate::flock::BoidState;
use crate::flock::grid::{WIDENED, cell_along, cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// A squared distance beyond which boids are not found.
const BEYOND: f32 = 3.0e38;

/// Where the boids are, in lists of whatever kind.
pub trait Places {
    /// Boids in the flock.
    fn boids(&self) -> usize;

    /// Position of boid `i`.
    fn position(&self, i: usize) -> Vec3;

    /// Identity of boid `i`.
    fn id(&self, i: usize) -> u32;
}

impl Places for BoidState {
    fn boids(&self) -> usize {
        self.len()
    }

    fn position(&self, i: usize) -> Vec3 {
        self.position[i]
    }

    fn id(&self, i: usize) -> u32 {
        self.id[i]
    }
}

/// The closest boid so far.
struct Closest<'a, F> {
    flock: &'a F,
    to: usize,
    index: Option<usize>,
    squared: f32,
}

impl<'a, F: Places> Closest<'a, F> {
    fn none(flock: &'a F, to: usize) -> Self {
        Closest { flock, to, index: None, squared: BEYOND }
    }

    fn look_at(&mut self, candidates: Range<usize>) {
        for candidate in candidates.filter(|&candidate| candidate != self.to) {
            let offset = self.flock.position(candidate) - self.flock.position(self.to);
            let squared = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
            let lower = self.index.is_none_or(|index| self.flock.id(candidate) < self.flock.id(index));
            if squared < self.squared || (squared == self.squared && lower) {
                (self.index, self.squared) = (Some(candidate), squared);
            }
        }
    }
}

/// The boid closest to boid `i`, by looking at all of them; none when there is no other within 10^19 world units.
pub fn of_all(flock: &impl Places, i: usize) -> Option<usize> {
    let mut best = Closest::none(flock, i);
    best.look_at(0..flock.boids());
    best.index
}

/// The same in a flock that a counting sort has put in cell order, in rings of rows around the boid's own.
pub fn in_rows(grid: &Grid, cell_starts: &[u32], flock: &impl Places, i: usize) -> Option<usize> {
    let mut best = Closest::none(flock, i);
    let position = flock.position(i);
    let t = position - grid.origin;
    let cell = cell_of(grid, position);
    let (own_y, own_z) = (cell.y as i32, cell.z as i32);
    let (last_y, last_z) = (grid.dims.y as i32 - 1, grid.dims.z as i32 - 1);
    let rings = own_y.max(last_y - own_y).max(own_z).max(last_z - own_z);
    for ring in 0..=rings {
        let mut nearest = BEYOND;
        for y in (own_y - ring).max(0)..=(own_y + ring).min(last_y) {
            let gap_y = gap_across(y - own_y, t.y, cell.y, grid.cell_size.y, grid.slack);
            // All of the ring's first and last y; of those between only both ends.
            let step = if (y - own_y).abs() == ring { 1 } else { 2 * ring };
            for z in (own_z - ring..=own_z + ring).step_by(step as usize).filter(|z| (0..=last_z).contains(z)) {
                let gap_z = gap_across(z - own_z, t.z, cell.z, grid.cell_size.z, grid.slack);
                let gap_squared = gap_y * gap_y + gap_z * gap_z;
                nearest = nearest.min(gap_squared);
                let half_squared = best.squared * WIDENED - gap_squared;
                if half_squared >= 0.0 {
                    best.look_at(boids_on_chord(grid, cell_starts, t.x, y as u32, z as u32, half_squared));
                }
            }
        }
        // The next ring is farther away.
        if nearest > best.squared * WIDENED {
            break;
        }
    }
    best.index
}

/// How far, at least, the boids `step` cells above or below `cell` are along one axis.
fn gap_across(step: i32, t: f32, cell: u32, cell_size: f32, slack: f32) -> f32 {
    if step == 0 {
        return 0.0;
    }
    let border = (if step > 0 { cell as i32 + step } else { cell as i32 + step + 1 }) as f32 * cell_size;
    ((if step > 0 { border - t } else { t - border }) - slack).max(0.0)
}

/// The boids of row (y, z)'s cells on the chord around `x`.
fn boids_on_chord(grid: &Grid, cell_starts: &[u32], x: f32, y: u32, z: u32, half_squared: f32) -> Range<usize> {
    let half_chord = half_squared.sqrt() + grid.slack;
    let row = cell_id(grid, UVec3::new(0, y, z));
    let first = row + cell_along(x - half_chord, grid.inv_cell_size.x, grid.dims.x);
    let last = row + cell_along(x + half_chord, grid.inv_cell_size.x, grid.dims.x);
    cell_starts[first as usize] as usize..cell_starts[last as usize + 1] as usize
}
