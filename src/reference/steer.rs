//! Twin of `steer.comp`: each boid looks at its neighbors and moves by one time step. In double precision.

use super::searches::Search;
use crate::flock::BoidState;
use crate::flock::layout::StepParams;
use glam::DVec3;
use rayon::prelude::*;

/// Below this a number is no divisor: devices may flush it to zero in single precision.
pub const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// One boid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boid {
    /// World units.
    pub position: DVec3,
    /// World units per second, or a unit heading for laws with a constant speed.
    pub velocity: DVec3,
}

/// What a boid does with its neighbors: twin of a file under `glsl/laws/`.
pub trait Law {
    /// What is added up over the neighbors; its default is `sums_zero()`.
    type Sums: Default;

    /// Adds the neighbor `other`, which lies `offset` away, to the sums.
    fn accumulate(params: &StepParams, sums: &mut Self::Sums, other: &Boid, offset: DVec3, distance_squared: f64);

    /// The boid after the step.
    fn steer(params: &StepParams, me: &Boid, sums: &Self::Sums) -> Boid;
}

/// Boid `i` of the flock.
pub fn boid(flock: &BoidState, i: usize) -> Boid {
    Boid { position: flock.position[i].as_dvec3(), velocity: flock.velocity[i].as_dvec3() }
}

/// Calls `visit` with index, offset and squared distance of every other boid within the search radius of boid `i`.
pub fn neighbors(
    params: &StepParams,
    flock: &BoidState,
    search: &impl Search,
    i: usize,
    mut visit: impl FnMut(usize, DVec3, f64),
) {
    let radius = f64::from(params.rules.search_radius);
    let position = flock.position[i].as_dvec3();
    search.candidates(flock.position[i], |range| {
        for j in range {
            let offset = flock.position[j].as_dvec3() - position;
            let distance_squared = offset.length_squared();
            if distance_squared <= radius * radius && j != i {
                visit(j, offset, distance_squared);
            }
        }
    });
}

/// Boid `i` after the step.
pub fn steer_boid<L: Law>(params: &StepParams, flock: &BoidState, search: &impl Search, i: usize) -> Boid {
    let mut sums = L::Sums::default();
    neighbors(params, flock, search, i, |j, offset, distance_squared| {
        L::accumulate(params, &mut sums, &boid(flock, j), offset, distance_squared);
    });
    L::steer(params, &boid(flock, i), &sums)
}

/// All boids after the step. They read `flock`, the state before it, and nothing of each other's results.
pub fn steer<L: Law>(params: &StepParams, flock: &BoidState, search: &impl Search) -> Vec<Boid> {
    (0..flock.len()).into_par_iter().map(|i| steer_boid::<L>(params, flock, search, i)).collect()
}

/// Writes boids back into a state, rounded to single precision. The ids stay.
pub fn store(boids: Vec<Boid>, state: &mut BoidState) {
    for (i, boid) in boids.into_iter().enumerate() {
        state.position[i] = boid.position.as_vec3();
        state.velocity[i] = boid.velocity.as_vec3();
    }
}

/// The unit vector along v, or zero where v has no direction.
pub fn direction_of(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest >= SMALLEST_NORMAL { (v / largest).normalize() } else { DVec3::ZERO }
}

/// v, shortened to the length `longest` if it is longer.
pub fn limit(v: DVec3, longest: f64) -> DVec3 {
    if v.length_squared() > longest * longest { direction_of(v) * longest } else { v }
}
