//! One step of a flock against the twin in double precision, with all pairs as the search.
//!
//! # Tolerance
//! The test compares the change of velocity, not the velocity, so that it notices a force that is wrong by one part in
//! a thousand, although a step changes the velocity by only a few hundredths. Over the boids of a test, the relative L2
//! distance between the tested change and the twin's must be below 1e-5; one neighbor missed by one boid of a thousand
//! makes it 1e-3.
//!
//! `reference::outcomes` describes the treatment of boids with borderline neighbors, and of those whose result depends
//! on rounding. The latter may be at most one in a hundred.

use glam::Vec3;
use starlings::flock::layout::StepParams;
use starlings::flock::{BoidState, Settings};
use starlings::reference::outcomes::{self, Near};
use starlings::reference::steer::{Boid, boid, influences};

/// Relative L2 distance allowed between the changes of velocity.
pub const TOLERANCE: f64 = 1e-5;

/// Boids compared in one test, spread over the flock.
pub const SAMPLES: usize = 1_025;

/// All states that are correct for boid `i` after the step.
pub fn outcomes(settings: &Settings, params: &StepParams, flock: &BoidState, i: usize) -> Vec<Boid> {
    outcomes_near(settings, params, flock, i, &outcomes::near(params, flock, i))
}

/// The same, with the nearby boids given.
pub fn outcomes_near(
    settings: &Settings,
    params: &StepParams,
    flock: &BoidState,
    i: usize,
    near: &[Near],
) -> Vec<Boid> {
    let hunters = params.kinds.hunters_of(flock);
    let influences = influences(settings, params, flock, &hunters, |id| settings.movement_weights(id))(flock.id[i]);
    outcomes::outcomes(settings.law, params, &influences, flock, i, near)
}

/// A flock sorted by x. Boids whose x differ by more than the search radius are not neighbors, so in a large flock only
/// a thin slab is searched; this is independent of the grid under test.
struct Slabs {
    /// Each boid's place in the flock and its position.
    by_x: Vec<(usize, Vec3)>,
}

impl Slabs {
    fn new(flock: &BoidState) -> Self {
        let mut by_x: Vec<(usize, Vec3)> = flock.position.iter().copied().enumerate().collect();
        by_x.sort_unstable_by(|a, b| a.1.x.total_cmp(&b.1.x));
        Slabs { by_x }
    }

    /// The result of `outcomes::near`, in the same order.
    fn near(&self, params: &StepParams, flock: &BoidState, i: usize) -> Vec<Near> {
        let (x, reach) = (f64::from(flock.position[i].x), outcomes::farthest_squared(params).sqrt());
        let slab = |x: f64| {
            let first = self.by_x.partition_point(|(_, position)| f64::from(position.x) < x - reach);
            self.by_x[first..].iter().take_while(move |(_, position)| f64::from(position.x) <= x + reach).copied()
        };
        // On a torus, also around its images.
        let period = params.torus().map(|torus| torus.period().x);
        let images = period.into_iter().flat_map(|period| [x - period, x + period]);
        let slabs = [x].into_iter().chain(images).flat_map(slab);
        let mut near = outcomes::near_among(params, flock, i, slabs);
        near.sort_unstable_by_key(|near| near.index);
        near.dedup_by_key(|near| near.index);
        near
    }
}

/// Relative L2 distances of a step from the twin's: of the changes of velocity, and of the positions.
pub fn distances(settings: &Settings, before: &BoidState, after: &BoidState) -> (f64, f64) {
    use rayon::prelude::*;
    let params = settings.step_params(0);
    let stride = before.len().div_ceil(SAMPLES);
    let slabs = Slabs::new(before);
    for i in [0, before.len() / 2, before.len() - 1] {
        assert_eq!(slabs.near(&params, before, i), outcomes::near(&params, before, i), "all that is near boid {i}");
    }
    let squares: Vec<Option<[f64; 4]>> = (0..before.len())
        .into_par_iter()
        .step_by(stride)
        .map(|i| {
            let (was, is) = (boid(before, i), boid(after, i));
            let errors = outcomes_near(settings, &params, before, i, &slabs.near(&params, before, i));
            let errors = errors.into_iter().map(|want| {
                let (change, position) = (want.velocity - was.velocity, want.position);
                let velocity_error = (is.velocity - want.velocity).length_squared();
                let position_error = (is.position - position).length_squared();
                [velocity_error, change.length_squared(), position_error, position.length_squared()]
            });
            errors.min_by(|a, b| a[0].total_cmp(&b[0]))
        })
        .collect();
    let undecided = squares.iter().filter(|s| s.is_none()).count();
    assert!(undecided <= 1 + squares.len() / 100, "rounding decides for {undecided} of {} boids", squares.len());
    let sum = |k: usize| squares.iter().flatten().map(|s| s[k]).sum::<f64>().sqrt();
    // If the twin changes nothing, the tested step must not either.
    let velocity = if sum(0) == 0.0 { 0.0 } else { sum(0) / sum(1) };
    (velocity, sum(2) / sum(3).max(1e-30))
}
