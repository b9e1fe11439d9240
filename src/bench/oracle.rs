//! What a step must do to a sample of the boids, in double precision, from all pairs.

use super::work::Work;
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Law};
use crate::reference::outcomes::{self, Near};
use crate::reference::steer::Boid;
use glam::Vec3;
use rayon::prelude::*;

/// Boids that are checked, or all where there are fewer.
pub const SAMPLES: usize = 2_000;

/// Boids that are tested in one go: their coordinates stay in the processor's nearest cache.
const CHUNK: usize = 1_024;

/// Sampled boids of one thread's go through the flock.
const GROUP: usize = 50;

/// The sampled boids of a piece of work, with every boid near them.
pub struct Oracle<'a> {
    work: &'a Work,
    /// Place in the state, and what is near, of each sampled boid.
    samples: Vec<(usize, Vec<Near>)>,
}

impl<'a> Oracle<'a> {
    /// Tests every boid of `work` against every sampled one. Uses all cores.
    pub fn new(work: &'a Work) -> Self {
        let boids = work.state.len();
        let count = SAMPLES.min(boids);
        // Evenly over the places: in a sorted flock that is evenly over the world.
        let places: Vec<usize> = (0..count).map(|k| k * boids / count).collect();
        let params = work.settings.step_params(work.step);
        let samples = places.par_chunks(GROUP).flat_map_iter(|group| gather(&params, &work.state, group)).collect();
        Oracle { work, samples }
    }

    /// The work it is for.
    pub fn work(&self) -> &Work {
        self.work
    }

    /// Ids of the sampled boids.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.samples.iter().map(|(place, _)| self.work.state.id[*place])
    }

    /// The sampled boids before the step.
    pub fn before(&self) -> impl Iterator<Item = Boid> {
        self.samples.iter().map(|(place, _)| crate::reference::steer::boid(&self.work.state, *place))
    }

    /// Neighbors of the sampled boids that rounding may count or not.
    pub fn borderline(&self) -> usize {
        let params = self.work.settings.step_params(self.work.step);
        self.samples.iter().map(|(_, near)| outcomes::borderline(&params, near).len()).sum()
    }

    /// For each sampled boid, every state that step number `step` of `law` may rightly lead to.
    pub fn outcomes(&self, law: Law, step: u32) -> Vec<Vec<Boid>> {
        let params = self.work.settings.step_params(step);
        let state = &self.work.state;
        self.samples.par_iter().map(|(place, near)| outcomes::outcomes(law, &params, state, *place, near)).collect()
    }
}

/// What is near each boid of `group`, by a test of all boids. Most are ruled out in single precision, which is off
/// by a few parts in 10^7, with a margin of one in 10^4; the rest is decided in double precision.
fn gather(params: &StepParams, state: &BoidState, group: &[usize]) -> Vec<(usize, Vec<Near>)> {
    let farthest = outcomes::farthest_squared(params);
    let cautious = (farthest * (1.0 + 1e-4)) as f32;
    let mut found: Vec<(usize, Vec<Near>)> = group.iter().map(|&place| (place, Vec::new())).collect();
    let mut axes = [[0f32; CHUNK]; 3];
    for (chunk, positions) in state.position.chunks(CHUNK).enumerate() {
        // One axis at a time, so that the compiler tests several boids at once.
        for (axis, values) in axes.iter_mut().enumerate() {
            values.iter_mut().zip(positions).for_each(|(value, position)| *value = position[axis]);
        }
        for (place, near) in &mut found {
            let here = state.position[*place];
            let squares = squares(&axes, here);
            if squares[..positions.len()].iter().fold(false, |any, &square| any | (square <= cautious)) {
                for (k, _) in squares[..positions.len()].iter().enumerate().filter(|(_, square)| **square <= cautious) {
                    let index = chunk * CHUNK + k;
                    let offset = state.position[index].as_dvec3() - here.as_dvec3();
                    let squared = offset.length_squared();
                    if index != *place && squared <= farthest {
                        near.push(Near { index, offset, squared });
                    }
                }
            }
        }
    }
    found
}

fn squares(axes: &[[f32; CHUNK]; 3], here: Vec3) -> [f32; CHUNK] {
    std::array::from_fn(|k| {
        let (x, y, z) = (axes[0][k] - here.x, axes[1][k] - here.y, axes[2][k] - here.z);
        x * x + y * y + z * z
    })
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;

    #[test]
    fn what_is_near_is_what_all_pairs_say() {
        let settings = work::settings().with_boids(3_000);
        let work = Work::spawned(&settings);
        let oracle = Oracle::new(&work);
        assert_eq!(oracle.samples.len(), SAMPLES);
        let params = work.settings.step_params(0);
        let mut neighbors = 0;
        for (place, near) in &oracle.samples {
            assert_eq!(*near, outcomes::near(&params, &work.state, *place));
            neighbors += near.len();
        }
        assert!(neighbors > 15 * SAMPLES, "{neighbors}");
    }
}
