//! Every correct state of a boid after a step, for comparing a device's single precision with the twins' double
//! precision.
//!
//! # Borderline neighbors
//! A neighbor whose squared distance is within a factor 1 ± 2^-20 of a squared radius may be in or out in single
//! precision: three rounded differences, three squares and two sums (or fused ones) and the rounding of R² come to less
//! than 10 * 2^-24. Both decisions are correct, so a boid with such neighbors has several outcomes. Random flocks have
//! a few such boids in a million.
//!
//! # Directions that rounding decides
//! Where two neighbors repel with equal and opposite force the sum is zero, and a law that asks for the *direction* of
//! a sum jumps there: a device that fuses a product into the sum is left with its rounding error, and takes that
//! error's direction (an NVIDIA H200 does, for a boid exactly between two others). Such a boid is found by nudging each
//! offset by at most 2^-22 of itself: when that changes the twin's own answer by more than a thousandth, single
//! precision cannot decide, and the boid has no outcome at all.

use super::steer::{self, Boid, Neighborhood, boid};
use crate::flock::layout::StepParams;
use crate::flock::manners::Perception;
use crate::flock::random::{self, Stream};
use crate::flock::{BoidState, Law};
use crate::laws::closest::closest;
use crate::laws::lanes::Double;
use crate::laws::{self, Influences, with_law};
use glam::{DVec3, Vec3};

/// How far a squared distance may be from a squared radius, relatively, for both decisions to be right.
pub const BORDERLINE: f64 = 1.0 / (1u32 << 20) as f64;

/// By how much, relatively, an offset is nudged to see whether rounding decides.
const NUDGE: f64 = 1.0 / (1u32 << 22) as f64;

/// Ways of nudging that are tried.
const NUDGES: u64 = 4;

/// By how much, relatively, a nudge may change the change of velocity.
const SETTLED: f64 = 1e-3;

/// More borderline neighbors than this make a poor test case.
const MOST_BORDERLINE: usize = 8;

/// A boid that is within the search radius of another, or a borderline neighbor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which one.
    pub index: usize,
    /// From the other to this one, in world units.
    pub offset: DVec3,
    /// The offset's squared length.
    pub squared: f64,
}

/// The squared distance up to which a boid may count as a neighbor.
pub fn farthest_squared(params: &StepParams) -> f64 {
    f64::from(params.rules.reach()).powi(2) * (1.0 + BORDERLINE)
}

/// Every boid that may count as a neighbor of boid `i`, found by looking at all of them.
pub fn near(params: &StepParams, flock: &BoidState, i: usize) -> Vec<Near> {
    near_among(params, flock, i, flock.position.iter().copied().enumerate())
}

/// Those of `candidates`, with their places in the flock, that may count as neighbors of boid `i`, in their order.
pub fn near_among(
    params: &StepParams,
    flock: &BoidState,
    i: usize,
    candidates: impl Iterator<Item = (usize, Vec3)>,
) -> Vec<Near> {
    let farthest = farthest_squared(params);
    let (place, velocity) = (flock.position[i], flock.velocity[i]);
    let here = place.as_dvec3();
    let perception = Perception::of(params);
    let mut near: Vec<Near> = candidates
        .filter(|(index, position)| *index != i && perception.sees(velocity, place, *position))
        .filter(|(index, _)| perception.notices(flock.id[i], flock.id[*index]))
        .map(|(index, position)| {
            let offset = steer::way(params, here, position.as_dvec3());
            Near { index, offset, squared: offset.length_squared() }
        })
        .filter(|near| near.squared <= farthest)
        .collect();
    let key = |near: &Near| (perception.squared(place, flock.position[near.index]), flock.id[near.index]);
    perception.keep_nearest(&mut near, key);
    near
}

/// Which of `near` are borderline neighbors, each with the squared radius that it is next to.
pub fn borderline(params: &StepParams, near: &[Near]) -> Vec<(usize, f64)> {
    let rules = &params.rules;
    let squares = [rules.separation_radius, rules.alignment_radius, rules.cohesion_radius]
        .map(|radius| f64::from(radius).powi(2));
    let next_to = |near: &Near| squares.into_iter().find(|square| (near.squared / square - 1.0).abs() <= BORDERLINE);
    near.iter().enumerate().filter_map(|(place, near)| Some((place, next_to(near)?))).collect()
}

/// Every state that boid `i`, to which `near` are near, may rightly have after a step: one, but for borderline
/// neighbors, and none where rounding decides.
///
/// # Panics
/// When more than eight neighbors are borderline: not expected in a random flock.
pub fn outcomes(
    law: Law,
    params: &StepParams,
    influences: &Influences<'_, Double>,
    flock: &BoidState,
    i: usize,
    near: &[Near],
) -> Vec<Boid> {
    with_law!(law, Twin => outcomes_of::<Twin>(params, influences, flock, i, near))
}

fn outcomes_of<T: laws::Law>(
    params: &StepParams,
    influences: &Influences<'_, Double>,
    flock: &BoidState,
    i: usize,
    near: &[Near],
) -> Vec<Boid> {
    let search_squared = f64::from(params.rules.reach()).powi(2);
    let (me, perception) = (boid(flock, i), Perception::of(params));
    let borderline = borderline(params, near);
    let count = borderline.len();
    assert!(count <= MOST_BORDERLINE, "boid {i} has {count} borderline neighbors: a poor test case");
    // With `nudges` 0 nothing is perturbed.
    let decide = |choice: u32, nudges: u64| {
        let mut neighborhood = Neighborhood::<T>::of(params, flock, i);
        for (n, &Near { index, mut offset, mut squared }) in near.iter().enumerate() {
            if nudges > 0 {
                offset *= 1.0 + NUDGE * f64::from(random::in_cube(nudges, Stream::Position, n as u64, 0).x);
            }
            if let Some(k) = borderline.iter().position(|&(place, _)| place == n) {
                let inside = choice >> k & 1 == 1;
                squared = borderline[k].1 * if inside { 1.0 - BORDERLINE } else { 1.0 + BORDERLINE };
            }
            if squared <= search_squared {
                neighborhood.add(index, offset, squared);
            }
        }
        neighborhood.steer(influences, |sought| closest(None, flock, perception, sought, i))
    };
    let outcomes: Vec<Boid> = (0..1 << count).map(|choice| decide(choice, 0)).collect();
    let settled = outcomes.iter().zip(0..).all(|(outcome, choice)| {
        let change = (outcome.velocity - me.velocity).length();
        (1..=NUDGES).all(|nudges| (decide(choice, nudges).velocity - outcome.velocity).length() <= SETTLED * change)
    });
    if settled { outcomes } else { Vec::new() }
}
