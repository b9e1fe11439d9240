//! Twin of `steer.comp`: each boid looks at its neighbors and moves by one time step. In double precision.

use super::find_leader::find_leader;
use super::ordered::Ordered;
use crate::flock::layout::{MovementWeights, StepParams};
use crate::flock::{BoidState, Settings};
use crate::laws::lanes::Double;
use crate::laws::{Boids, Influences, Law, Neighbors, Sums, V3, Wish, with_law};
use glam::DVec3;
use rayon::prelude::*;

/// One boid, in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boid {
    /// World units.
    pub position: DVec3,
    /// World units per second, or a unit heading for laws with a constant speed.
    pub velocity: DVec3,
}

impl From<Boid> for Boids<Double> {
    fn from(boid: Boid) -> Self {
        Boids { position: boid.position.into(), velocity: boid.velocity.into() }
    }
}

impl From<Boids<Double>> for Boid {
    fn from(boid: Boids<Double>) -> Self {
        Boid { position: boid.position.into(), velocity: boid.velocity.into() }
    }
}

/// Boid `i` of the flock.
pub fn boid(flock: &BoidState, i: usize) -> Boid {
    Boid { position: flock.position[i].as_dvec3(), velocity: flock.velocity[i].as_dvec3() }
}

/// Calls `visit` with index, offset and squared distance of every other boid within the search radius of boid `i`.
pub fn neighbors(params: &StepParams, ordered: &Ordered, i: usize, mut visit: impl FnMut(usize, DVec3, f64)) {
    let radius = f64::from(params.rules.search_radius);
    let places = &ordered.flock.position;
    ordered.candidates(places[i], |range| {
        for j in range {
            let offset = places[j].as_dvec3() - places[i].as_dvec3();
            let distance_squared = offset.length_squared();
            if distance_squared <= radius * radius && j != i {
                visit(j, offset, distance_squared);
            }
        }
    });
}

/// Boid `i` after the step.
pub fn steer_boid<T: Law>(
    params: &StepParams,
    influences: &Influences<'_, Double>,
    ordered: &Ordered,
    i: usize,
) -> Boid {
    let flock = &ordered.flock;
    let mut neighborhood = Neighborhood::<T>::new(params);
    neighbors(params, ordered, i, |j, offset, distance_squared| {
        neighborhood.add(boid(flock, j), offset, distance_squared);
    });
    neighborhood.steer(boid(flock, i), influences, || ordered.closest(i).map(|j| boid(flock, j)))
}

/// Sums over the neighbors of one boid, in double precision.
pub struct Neighborhood<'a, T: Law> {
    params: &'a StepParams,
    sums: T::Sums<Double>,
}

impl<'a, T: Law> Neighborhood<'a, T> {
    /// No neighbors yet.
    pub fn new(params: &'a StepParams) -> Self {
        Neighborhood { params, sums: T::Sums::zero(Double(0.0)) }
    }

    /// Adds the neighbor `other`, which lies `offset` away.
    pub fn add(&mut self, other: Boid, offset: DVec3, distance_squared: f64) {
        let distance_squared = Double(distance_squared);
        let other = Neighbors { velocity: other.velocity.into(), offset: offset.into(), distance_squared };
        T::accumulate(self.params, &mut self.sums, &other);
        if T::is_close(self.params, distance_squared) == Some(true) {
            T::accumulate_close(&mut self.sums, true, &other);
        }
    }

    /// The boid after the step. `closest` is asked for the closest boid only if the law wants it.
    pub fn steer(
        mut self,
        me: Boid,
        influences: &Influences<'_, Double>,
        closest: impl FnOnce() -> Option<Boid>,
    ) -> Boid {
        if T::wants_closest(&self.sums) == Some(true)
            && let Some(other) = closest()
        {
            let offset: V3<Double> = (other.position - me.position).into();
            let distance_squared = offset.length_squared();
            let other = Neighbors { velocity: other.velocity.into(), offset, distance_squared };
            T::add_closest(&mut self.sums, true, &other);
        }
        let me = me.into();
        T::want(self.params, &me, &self.sums).moved(self.params, &me, influences).into()
    }
}

/// The influences on each boid of `flock`, which is one of `settings`, by its identity; `weights` are its own.
pub fn influences<'a, W: Fn(u32) -> MovementWeights + Sync>(
    settings: &'a Settings,
    flock: &BoidState,
    weights: W,
) -> impl Fn(u32) -> Influences<'a, Double> + Sync + use<'a, W> {
    let bits = settings.influences();
    let leader = settings.leader.and_then(|leader| find_leader(leader, flock));
    move |id| {
        let own = weights(id);
        Influences::switched_on(bits, leader, &settings.obstacles, |weight| Double(weight(&own).into()))
    }
}

/// All boids of a flock of `settings` after the step. They read the state before it, and nothing of each other's results.
pub fn steer(settings: &Settings, params: &StepParams, ordered: &Ordered) -> Vec<Boid> {
    steer_weighted(settings, params, ordered, |id| settings.movement_weights(id))
}

/// The same with weights of its own for each boid, by identity.
pub fn steer_weighted(
    settings: &Settings,
    params: &StepParams,
    ordered: &Ordered,
    weights: impl Fn(u32) -> MovementWeights + Sync,
) -> Vec<Boid> {
    let influences = influences(settings, &ordered.flock, weights);
    let one = |i: usize| {
        let influences = influences(ordered.flock.id[i]);
        with_law!(settings.law, T => steer_boid::<T>(params, &influences, ordered, i))
    };
    (0..ordered.flock.len()).into_par_iter().map(one).collect()
}

/// Writes boids back into a state, rounded to single precision. The ids stay.
pub fn store(boids: Vec<Boid>, state: &mut BoidState) {
    for (i, boid) in boids.into_iter().enumerate() {
        state.position[i] = boid.position.as_vec3();
        state.velocity[i] = boid.velocity.as_vec3();
    }
}
