//! The boid closest to another, as `glsl/include/closest_in_rows.glsl` and `closest_of_all.glsl` find it.
//!
//! In single precision and in the kernels' order, so that device and twin find the same one. Of several equally close
//! boids, it is the one of the lowest id.

use crate::flock::BoidState;
use crate::flock::grid::{WIDENED, cell_id, cell_of, columns_on_chord};
use crate::flock::layout::Grid;
use crate::flock::manners::{Perception, Sought};
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

    /// Velocity slot of boid `i`.
    fn velocity(&self, i: usize) -> Vec3;

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

    fn velocity(&self, i: usize) -> Vec3 {
        self.velocity[i]
    }

    fn id(&self, i: usize) -> u32 {
        self.id[i]
    }
}

/// The closest boid so far.
struct Closest<'a, F> {
    flock: &'a F,
    perception: Perception,
    sought: Sought,
    to: usize,
    index: Option<usize>,
    squared: f32,
}

impl<'a, F: Places> Closest<'a, F> {
    fn none(flock: &'a F, perception: Perception, sought: Sought, to: usize) -> Self {
        Closest { flock, perception, sought, to, index: None, squared: sought.squared }
    }

    fn look_at(&mut self, candidates: Range<usize>) {
        let (here, velocity) = (self.flock.position(self.to), self.flock.velocity(self.to));
        let id = self.flock.id(self.to);
        for candidate in candidates.filter(|&candidate| candidate != self.to) {
            let place = self.flock.position(candidate);
            let is_sought = self.perception.seeks(self.sought, id, self.flock.id(candidate));
            if !is_sought || !self.perception.sees(velocity, here, place) {
                continue;
            }
            let squared = self.perception.squared(here, place);
            let lower = self.index.is_none_or(|index| self.flock.id(candidate) < self.flock.id(index));
            if squared < self.squared || (squared == self.squared && lower) {
                (self.index, self.squared) = (Some(candidate), squared);
            }
        }
    }
}

/// The boid closest to boid `i` of those that are sought, by looking at all of them; none where there is no such. Only
/// of those that it sees; on a torus, by their nearest images.
pub fn of_all(flock: &impl Places, perception: Perception, sought: Sought, i: usize) -> Option<usize> {
    let mut best = Closest::none(flock, perception, sought, i);
    best.look_at(0..flock.boids());
    best.index
}

/// The same in a flock that a counting sort has put in cell order, in rings of rows around the boid's own.
pub fn in_rows(
    grid: &Grid,
    cell_starts: &[u32],
    flock: &impl Places,
    perception: Perception,
    sought: Sought,
    i: usize,
) -> Option<usize> {
    let mut best = Closest::none(flock, perception, sought, i);
    let position = flock.position(i);
    let t = position - grid.origin;
    let cell = cell_of(grid, position);
    let (own_y, own_z) = (cell.y as i32, cell.z as i32);
    let (dims_y, dims_z) = (grid.dims.y as i32, grid.dims.z as i32);
    // On a torus, the nearest image of a boid is at most half the world away. Boids of a row that is met twice are the
    // same.
    let ends = |own: i32, dims: i32| match perception.torus() {
        Some(_) => (own - dims / 2 - 1, own + dims / 2 + 1),
        None => (0, dims - 1),
    };
    let ((first_y, last_y), (first_z, last_z)) = (ends(own_y, dims_y), ends(own_z, dims_z));
    let rings = (own_y - first_y).max(last_y - own_y).max(own_z - first_z).max(last_z - own_z);
    for ring in 0..=rings {
        let mut nearest = BEYOND;
        for y in (own_y - ring).max(first_y)..=(own_y + ring).min(last_y) {
            let gap_y = gap_across(y - own_y, t.y, cell.y, grid.cell_size.y, grid.slack);
            // All of the ring's first and last y; of those between only both ends.
            let step = if (y - own_y).abs() == ring { 1 } else { 2 * ring };
            for z in (own_z - ring..=own_z + ring).step_by(step as usize).filter(|z| (first_z..=last_z).contains(z)) {
                let gap_z = gap_across(z - own_z, t.z, cell.z, grid.cell_size.z, grid.slack);
                let gap_squared = gap_y * gap_y + gap_z * gap_z;
                nearest = nearest.min(gap_squared);
                let half_squared = best.squared * WIDENED - gap_squared;
                if half_squared >= 0.0 {
                    let (y, z) = (y.rem_euclid(dims_y) as u32, z.rem_euclid(dims_z) as u32);
                    let row = cell_id(grid, UVec3::new(0, y, z)) as usize;
                    for columns in columns_on_chord(grid, t.x, half_squared) {
                        let start = |column: u32| cell_starts[row + column as usize] as usize;
                        best.look_at(start(columns.start)..start(columns.end));
                    }
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
