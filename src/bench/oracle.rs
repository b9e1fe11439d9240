//! What a step must do to a sample of the boids, in double precision, from all pairs with them.

use super::took;
use super::work::Work;
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Law};
use crate::reference::outcomes::{self, Near};
use crate::reference::steer::{Boid, influences};
use glam::{I64Vec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;

/// Boids that are checked, or all where there are fewer.
pub const SAMPLES: usize = 2_000;

/// The sampled boids of a piece of work, with every boid near them.
pub struct Oracle<'a> {
    work: &'a Work,
    /// Place in the state, and what is near, of each sampled boid.
    samples: Vec<(usize, Vec<Near>)>,
}

impl<'a> Oracle<'a> {
    /// Tests every boid of `work` that lies near a sampled one against it. Uses all cores.
    pub fn new(work: &'a Work) -> Self {
        let boids = work.state.len();
        let count = SAMPLES.min(boids);
        // Evenly over the places: in a sorted flock that is evenly over the world.
        let places: Vec<usize> = (0..count).map(|k| k * boids / count).collect();
        let near =
            took("sampled boids' neighbors", || gather(&work.settings.step_params(work.step), &work.state, &places));
        Oracle { work, samples: places.into_iter().zip(near).collect() }
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

    /// For each sampled boid, every correct state after step number `step` of `law`.
    pub fn outcomes(&self, law: Law, step: u32) -> Vec<Vec<Boid>> {
        let (settings, state) = (&self.work.settings, &self.work.state);
        let params = settings.step_params(step);
        let influences = influences(settings, state, |id| settings.movement_weights(id));
        let one = |(place, near): &(usize, Vec<Near>)| {
            outcomes::outcomes(law, &params, &influences(state.id[*place]), state, *place, near)
        };
        self.samples.par_iter().map(one).collect()
    }
}

/// Marks that tell whether some sample may be near a cube: of a size that caches hold.
const CUBE_MARKS: usize = 1 << 20;

/// Which mark stands for a cube.
fn mark_of(cube: I64Vec3) -> usize {
    let mixed = cube.x.wrapping_mul(73_856_093) ^ cube.y.wrapping_mul(19_349_663) ^ cube.z.wrapping_mul(83_492_791);
    mixed as usize % CUBE_MARKS
}

/// What is near each boid at one of `places`: what all pairs in double precision say.
///
/// A boid need not be tested against samples that are farther away than the radius along some axis, so the samples are
/// looked up by the cube that it lies in: cubes are wider than the radius, and each lists the samples in it and in the 26
/// around it. A billion boids then take seconds, and nothing here is shared with what is to be checked.
fn gather(params: &StepParams, state: &BoidState, places: &[usize]) -> Vec<Vec<Near>> {
    let farthest = outcomes::farthest_squared(params);
    // The margin is far beyond the rounding of a quotient.
    let edge = farthest.sqrt() * (1.0 + 1e-4);
    let cube = |position: Vec3| (position.as_dvec3() / edge).floor().as_i64vec3();
    let mut samples_near: HashMap<I64Vec3, Vec<usize>> = HashMap::new();
    for (sample, &place) in places.iter().enumerate() {
        let own = cube(state.position[place]);
        for (x, y, z) in (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| (x, y, z)))) {
            samples_near.entry(own.wrapping_add(I64Vec3::new(x, y, z))).or_default().push(sample);
        }
    }
    // Skips the look-up for most boids, which are near no sample.
    let mut some = vec![false; CUBE_MARKS];
    samples_near.keys().for_each(|&cube| some[mark_of(cube)] = true);
    let found: Vec<(usize, Near)> = (0..state.len())
        .into_par_iter()
        .flat_map_iter(|index| {
            let position = state.position[index];
            let own = Some(cube(position)).filter(|&cube| some[mark_of(cube)]);
            let samples = own.and_then(|own| samples_near.get(&own)).map_or(&[][..], Vec::as_slice);
            samples.iter().filter_map(move |&sample| {
                let offset = position.as_dvec3() - state.position[places[sample]].as_dvec3();
                let squared = offset.length_squared();
                (index != places[sample] && squared <= farthest).then_some((sample, Near { index, offset, squared }))
            })
        })
        .collect();
    let mut near: Vec<Vec<Near>> = vec![Vec::new(); places.len()];
    for (sample, one) in found {
        near[sample].push(one);
    }
    near
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
