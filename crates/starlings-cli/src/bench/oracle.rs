//! What a step must do to a sample of the boids, in double precision, from all pairs with them.

use super::took;
use super::work::Work;
use glam::{DVec3, I64Vec3};
use rayon::prelude::*;
use starlings::flock::layout::StepParams;
use starlings::flock::manners::Perception;
use starlings::flock::{BoidState, Law};
use starlings::reference::outcomes::{self, Near};
use starlings::reference::steer::{Boid, boid, influences, way};
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
        self.samples.iter().map(|(place, _)| boid(&self.work.state, *place))
    }

    /// The sampled boids in `state`, which a step has left in any order; NaN for a boid that is missing.
    pub fn find(&self, state: &BoidState) -> Vec<Boid> {
        let samples: HashMap<u32, usize> = self.ids().zip(0..).collect();
        let places = state.id.par_iter().enumerate();
        let found: Vec<_> = places.filter_map(|(place, id)| Some((*samples.get(id)?, place))).collect();
        let mut boids = vec![Boid { position: DVec3::NAN, velocity: DVec3::NAN }; samples.len()];
        for (sample, place) in found {
            boids[sample] = boid(state, place);
        }
        boids
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
        let hunters = params.kinds.hunters_of(state);
        let influences = influences(settings, &params, state, &hunters, |id| settings.movement_weights(id));
        let one = |(place, near): &(usize, Vec<Near>)| {
            outcomes::outcomes(law, &params, &influences(state.id[*place]), state, *place, near)
        };
        self.samples.par_iter().map(one).collect()
    }
}

/// What is near each boid at one of `places`: what all pairs in double precision say.
///
/// A boid need not be tested against samples that are farther away than the radius along some axis, so the samples are
/// looked up by the cube that it lies in: cubes are wider than the radius, and each lists the samples in it and in the
/// 26 around it, with their images on a torus. Nothing here is shared with the searches that are to be checked.
fn gather(params: &StepParams, state: &BoidState, places: &[usize]) -> Vec<Vec<Near>> {
    let farthest = outcomes::farthest_squared(params);
    if !Perception::of(params).has_radius() {
        return places.par_iter().map(|&place| nearest_of_all(params, state, place)).collect();
    }
    // The margin is far beyond the rounding of a quotient.
    let edge = farthest.sqrt() * (1.0 + 1e-4);
    let cube = |position: DVec3| (position / edge).floor().as_i64vec3();
    let around = || (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| I64Vec3::new(x, y, z))));
    // The sample itself, and its images that are near the world.
    let images = |position: DVec3| match params.torus() {
        None => vec![position],
        Some(torus) => {
            let (low, high) = (torus.low.as_dvec3() - edge, torus.high.as_dvec3() + edge);
            let images = around().map(|steps| position + steps.as_dvec3() * torus.period());
            images.filter(|image| image.cmpge(low).all() && image.cmple(high).all()).collect()
        }
    };
    let mut samples_near: HashMap<I64Vec3, Vec<usize>> = HashMap::new();
    for (sample, &place) in places.iter().enumerate() {
        for own in images(state.position[place].as_dvec3()).into_iter().map(cube) {
            for step in around() {
                samples_near.entry(own.wrapping_add(step)).or_default().push(sample);
            }
        }
    }
    let found: Vec<(usize, usize)> = (0..state.len())
        .into_par_iter()
        .flat_map_iter(|index| {
            let position = state.position[index].as_dvec3();
            let samples = samples_near.get(&cube(position)).map_or(&[][..], Vec::as_slice);
            samples.iter().filter_map(move |&sample| {
                let offset = way(params, state.position[places[sample]].as_dvec3(), position);
                (offset.length_squared() <= farthest).then_some((sample, index))
            })
        })
        .collect();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for (sample, index) in found {
        // By way of several images it may be listed twice.
        if near[sample].last() != Some(&index) {
            near[sample].push(index);
        }
    }
    let perceived = |(near, &place): (Vec<usize>, &usize)| {
        outcomes::near_among(params, state, place, near.into_iter().map(|index| (index, state.position[index])))
    };
    near.into_par_iter().zip(places).map(perceived).collect()
}

/// The nearest few of all boids, a part of the flock after the other.
fn nearest_of_all(params: &StepParams, state: &BoidState, place: usize) -> Vec<Near> {
    let parts = (0..state.len()).step_by(1 << 16).map(|first| first..state.len().min(first + (1 << 16)));
    parts.fold(Vec::new(), |near: Vec<Near>, part| {
        let candidates = near.iter().map(|near| near.index).chain(part);
        outcomes::near_among(params, state, place, candidates.map(|index| (index, state.position[index])))
    })
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;
    use starlings::flock::{Settings, Walls};

    #[test]
    fn what_is_near_is_what_all_pairs_say() {
        let all_around = work::settings().with_boids(3_000);
        let few = Settings { nearest: 7, view_angle: 120.0, ..all_around.clone() };
        // Fewer: each is compared with all.
        let far = few.clone().with_boids(2_001).with_radius(f32::INFINITY);
        for settings in [all_around, few, far].into_iter().flat_map(|settings| {
            // The last is two radii long along x.
            let wrapping = Settings { walls: Walls::Wrap, ..settings.clone() };
            let mut short = wrapping.clone();
            short.world.half_size = glam::Vec3::new(2.0, 14.0, 14.0);
            [settings, wrapping.clone(), wrapping.with_plane(true), short]
        }) {
            settings.validate().expect("valid settings");
            let work = Work::spawned(&settings);
            let oracle = Oracle::new(&work);
            assert_eq!(oracle.samples.len(), SAMPLES);
            let params = work.settings.step_params(0);
            let mut neighbors = 0;
            for (place, near) in &oracle.samples {
                assert_eq!(*near, outcomes::near(&params, &work.state, *place));
                neighbors += near.len();
            }
            assert!(neighbors > 5 * SAMPLES, "{neighbors}");
        }
    }
}
