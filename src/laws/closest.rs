//! The boids closest to another, as `glsl/include/closest_in_rows.glsl` and `closest_of_all.glsl` find them.
//!
//! In single precision and in the kernels' order, so that device and twin find the same. Of several equally close
//! boids, those of the lowest ids.

use crate::flock::BoidState;
use crate::flock::grid::{WIDENED, cell_id, cell_of, columns_on_chord};
use crate::flock::layout::Grid;
use crate::flock::manners::{Perception, Sought};
use crate::flock::settings::MAX_BOIDS;
use crate::limits::MAX_NEAREST;
use arrayvec::ArrayVec;
use glam::{UVec3, Vec3};

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

/// A grid, and the start of each of its cells, of a flock that a counting sort has put in cell order; none for a flock
/// in any order.
pub type Cells<'a> = Option<(&'a Grid, &'a [u32])>;

/// The nearest boids so far of those that one seeks.
pub struct Nearest<'a, F> {
    flock: &'a F,
    perception: Perception,
    sought: Sought,
    to: usize,
    most: usize,
    /// Squared distance, identity and index of each, in ascending order.
    pub found: ArrayVec<(f32, u32, usize), { MAX_NEAREST as usize }>,
}

impl<'a, F: Places> Nearest<'a, F> {
    /// None yet of at most `most` that are nearest to boid `to`.
    pub fn none(flock: &'a F, perception: Perception, sought: Sought, to: usize, most: usize) -> Self {
        Nearest { flock, perception, sought, to, most, found: ArrayVec::new() }
    }

    /// Squared distance and identity of the last that counts.
    pub fn limit(&self) -> (f32, u32) {
        self.found.get(self.most - 1).map_or((self.sought.squared, MAX_BOIDS), |last| (last.0, last.1))
    }

    /// Takes those of the candidates that are nearer.
    pub fn look_at(&mut self, candidates: impl IntoIterator<Item = usize>) {
        let (here, velocity) = (self.flock.position(self.to), self.flock.velocity(self.to));
        let id = self.flock.id(self.to);
        for candidate in candidates.into_iter().filter(|&candidate| candidate != self.to) {
            let (place, other) = (self.flock.position(candidate), self.flock.id(candidate));
            let key = (self.perception.squared(here, place), other, candidate);
            let is_sought = (key.0, key.1) <= self.limit() && self.perception.seeks(self.sought, id, other);
            if is_sought && self.perception.sees(velocity, here, place) {
                let at = self.found.partition_point(|nearer| *nearer < key);
                // On a torus a row may be met twice.
                if self.found.get(at) != Some(&key) {
                    self.found.truncate(self.most - 1);
                    self.found.insert(at, key);
                }
            }
        }
    }

    /// Looks for those that are sought: in rings of rows around the boid's own, or at every boid.
    pub fn look_around(&mut self, sought: Sought, cells: Cells<'_>) {
        self.sought = sought;
        let Some((grid, cell_starts)) = cells else { return self.look_at(0..self.flock.boids()) };
        let position = self.flock.position(self.to);
        let t = position - grid.origin;
        let cell = cell_of(grid, position);
        let (own_y, own_z) = (cell.y as i32, cell.z as i32);
        let (dims_y, dims_z) = (grid.dims.y as i32, grid.dims.z as i32);
        // On a torus, the nearest image of a boid is at most half the world away.
        let ends = |own: i32, dims: i32| match self.perception.torus() {
            Some(_) => (own - dims / 2 - 1, own + dims / 2 + 1),
            None => (0, dims - 1),
        };
        let ((first_y, last_y), (first_z, last_z)) = (ends(own_y, dims_y), ends(own_z, dims_z));
        let rings = (own_y - first_y).max(last_y - own_y).max(own_z - first_z).max(last_z - own_z);
        for ring in 0..=rings {
            let mut nearest = f32::INFINITY;
            for y in (own_y - ring).max(first_y)..=(own_y + ring).min(last_y) {
                let gap_y = gap_across(y - own_y, t.y, cell.y, grid.cell_size.y, grid.slack);
                // All of the ring's first and last y; of those between only both ends.
                let step = if (y - own_y).abs() == ring { 1 } else { 2 * ring };
                for z in (own_z - ring..=own_z + ring).step_by(step as usize).filter(|z| (first_z..=last_z).contains(z))
                {
                    let gap_z = gap_across(z - own_z, t.z, cell.z, grid.cell_size.z, grid.slack);
                    let gap_squared = gap_y * gap_y + gap_z * gap_z;
                    nearest = nearest.min(gap_squared);
                    let half_squared = self.limit().0 * WIDENED - gap_squared;
                    if half_squared >= 0.0 {
                        let (y, z) = (y.rem_euclid(dims_y) as u32, z.rem_euclid(dims_z) as u32);
                        let row = cell_id(grid, UVec3::new(0, y, z)) as usize;
                        for columns in columns_on_chord(grid, t.x, half_squared) {
                            let start = |column: u32| cell_starts[row + column as usize] as usize;
                            self.look_at(start(columns.start)..start(columns.end));
                        }
                    }
                }
            }
            // The next ring is farther away.
            if nearest > self.limit().0 * WIDENED {
                break;
            }
        }
    }
}

/// The boid closest to boid `i` of those that are sought; none where there is no such. Only of those that it sees; on a
/// torus, by their nearest images.
pub fn closest(
    cells: Cells<'_>,
    flock: &impl Places,
    perception: Perception,
    sought: Sought,
    i: usize,
) -> Option<usize> {
    let mut best = Nearest::none(flock, perception, sought, i, 1);
    best.look_around(sought, cells);
    best.found.first().map(|best| best.2)
}

/// How far, at least, the boids `step` cells above or below `cell` are along one axis.
fn gap_across(step: i32, t: f32, cell: u32, cell_size: f32, slack: f32) -> f32 {
    if step == 0 {
        return 0.0;
    }
    let border = (if step > 0 { cell as i32 + step } else { cell as i32 + step + 1 }) as f32 * cell_size;
    ((if step > 0 { border - t } else { t - border }) - slack).max(0.0)
}
