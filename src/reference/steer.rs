//! Twin of `steer.comp`: each boid looks at its neighbors and moves by one time step. In double precision.

use super::find_leader::find_leader;
use super::ordered::Ordered;
use crate::flock::kinds::{Hunter, NO_KIND};
use crate::flock::layout::{MovementWeights, NO_RADIUS, StepParams};
use crate::flock::manners::{Perception, Sought};
use crate::flock::{BoidState, Settings};
use crate::laws::closest::Nearest;
use crate::laws::lanes::Double;
use crate::laws::manners::vectorial_noise;
use crate::laws::walls::way_to;
use crate::laws::{Boids, Felt, Influences, Law, Neighbors, Own, Sums, Wish, with_law};
use crate::limits::{INFLUENCE_HUNTERS, MANNER_OWN_SPEED};
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

/// The way from one place to another, in world units: the shortest where walls wrap.
pub fn way(params: &StepParams, from: DVec3, to: DVec3) -> DVec3 {
    way_to::<Double>(params, from.into(), to.into()).into()
}

/// Calls `visit` with index, offset and squared distance of every other boid that boid `i` perceives.
pub fn neighbors(params: &StepParams, ordered: &Ordered, i: usize, mut visit: impl FnMut(usize, DVec3, f64)) {
    let radius = f64::from(params.rules.search_radius);
    let BoidState { position: places, velocity, id } = &ordered.flock;
    let perception = Perception::of(params);
    let mut seen = Vec::new();
    ordered.candidates(places[i], |range| {
        for j in range {
            let offset = way(params, places[i].as_dvec3(), places[j].as_dvec3());
            let distance_squared = offset.length_squared();
            let is_near = distance_squared <= radius * radius && j != i && perception.notices(id[i], id[j]);
            if is_near && perception.sees(velocity[i], places[i], places[j]) {
                seen.push((j, offset, distance_squared));
            }
        }
    });
    if !perception.is_enough(seen.len()) {
        let sought = Sought::within(NO_RADIUS * NO_RADIUS);
        let mut nearest = Nearest::none(&ordered.flock, perception, sought, i, perception.nearest());
        nearest.look_around(sought, ordered.cells());
        let offset = |j: usize| way(params, places[i].as_dvec3(), places[j].as_dvec3());
        seen = nearest.found.iter().map(|&(.., j)| (j, offset(j), offset(j).length_squared())).collect();
    }
    perception.keep_nearest(&mut seen, |&(j, ..)| (perception.squared(places[i], places[j]), id[j]));
    seen.into_iter().for_each(|(j, offset, distance_squared)| visit(j, offset, distance_squared));
}

/// Boid `i` after the step.
pub fn steer_boid<T: Law>(
    params: &StepParams,
    influences: &Influences<'_, Double>,
    ordered: &Ordered,
    i: usize,
) -> Boid {
    let flock = &ordered.flock;
    let mut neighborhood = Neighborhood::<T>::of(params, flock, i);
    neighbors(params, ordered, i, |j, offset, distance_squared| neighborhood.add(j, offset, distance_squared));
    neighborhood.steer(influences, |sought| ordered.closest(sought, i))
}

/// Sums over the neighbors of one boid, in double precision.
pub struct Neighborhood<'a, T: Law> {
    params: &'a StepParams,
    flock: &'a BoidState,
    i: usize,
    sums: T::Sums<Double>,
}

impl<'a, T: Law> Neighborhood<'a, T> {
    /// That of boid `i` of `flock`, with no neighbors yet.
    pub fn of(params: &'a StepParams, flock: &'a BoidState, i: usize) -> Self {
        Neighborhood { params, flock, i, sums: T::Sums::zero(Double(0.0)) }
    }

    /// Boid `j` as a neighbor, which lies `offset` away.
    fn neighbor(&self, j: usize, offset: DVec3, distance_squared: Double) -> Neighbors<Double> {
        let kinds = &self.params.kinds;
        let weights = || kinds.weights(kinds.of(self.flock.id[self.i]), kinds.of(self.flock.id[j]));
        let felt = (kinds.count > 0).then(|| Felt::new(weights().map(|weight| Double(weight.into()))));
        Neighbors { velocity: boid(self.flock, j).velocity.into(), offset: offset.into(), distance_squared, felt }
    }

    /// Adds the neighbor `j`, which lies `offset` away.
    pub fn add(&mut self, j: usize, offset: DVec3, distance_squared: f64) {
        let distance_squared = Double(distance_squared);
        let other = self.neighbor(j, offset, distance_squared);
        T::accumulate(self.params, &mut self.sums, &other);
        if T::is_close(self.params, distance_squared) == Some(true) {
            T::accumulate_close(&mut self.sums, true, &other);
        }
    }

    /// The boid after the step. `closest` is asked for the closest boid of those sought only if the law wants it, or
    /// the boid hunts.
    pub fn steer(mut self, influences: &Influences<'_, Double>, closest: impl Fn(Sought) -> Option<usize>) -> Boid {
        let (params, me) = (self.params, boid(self.flock, self.i));
        let way_to = |j: usize| way(params, me.position, boid(self.flock, j).position);
        if T::wants_closest(&self.sums) == Some(true)
            && let Some(j) = closest(Sought::ANYBODY)
        {
            let offset = way_to(j);
            let other = self.neighbor(j, offset, Double(offset.length_squared()));
            T::add_closest(&mut self.sums, true, &other);
        }
        let mut influences = *influences;
        if influences.bits & INFLUENCE_HUNTERS != 0 {
            let kind = params.kinds.of(self.flock.id[self.i]);
            let hunt = params.kinds.hunts[kind as usize];
            let sought = Sought { kind: Some(hunt.prey), squared: hunt.sight_squared };
            let prey = (hunt.prey != NO_KIND).then(|| closest(sought)).flatten().map_or(DVec3::ZERO, way_to);
            influences.prey = Some((prey.into(), Double(hunt.chase.into())));
            influences.kind = Some(Double(kind.into()));
        }
        let me: Boids<Double> = me.into();
        let noise = vectorial_noise(params, &influences, me.position);
        let own = Own { noise, speed: influences.speed };
        T::want(params, &me, &self.sums, &own).moved(params, &me, &influences).into()
    }
}

/// The influences on each boid of `flock`, which is one of `settings`, by its identity, in the step of `params`;
/// `weights` are its own, and `hunters` those that are feared ([`Kinds::hunters_of`]).
///
/// [`Kinds::hunters_of`]: crate::flock::layout::Kinds::hunters_of
pub fn influences<'a, W: Fn(u32) -> MovementWeights + Sync>(
    settings: &'a Settings,
    params: &StepParams,
    flock: &BoidState,
    hunters: &'a [Hunter],
    weights: W,
) -> impl Fn(u32) -> Influences<'a, Double> + Sync + use<'a, W> {
    let bits = settings.influences();
    let leader = settings.leader.and_then(|leader| find_leader(leader, flock));
    let (manners, step) = (params.manners, params.step);
    move |id| {
        let own = weights(id);
        let on = Influences::switched_on(bits, leader, &settings.obstacles, |weight| Double(weight(&own).into()));
        let drawn = Some(manners.drawn(id, step).map(|number| Double(number.into())));
        let speed = (manners.bits & MANNER_OWN_SPEED != 0).then(|| Double(own.speed.into()));
        Influences { drawn, speed, hunters, ..on }
    }
}

/// All boids of a flock of `settings` after the step. They read the state before it, and nothing of each other's
/// results.
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
    let hunters = params.kinds.hunters_of(&ordered.flock);
    let influences = influences(settings, params, &ordered.flock, &hunters, weights);
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
