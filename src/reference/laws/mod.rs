//! Twins of the laws under `glsl/laws/`, one file each.

pub mod counting_sort;
pub mod probe;
pub mod reynolds;

use super::searches::Search;
use super::steer::{self, Boid};
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Law};

/// All boids after a step of `law`.
pub fn steer(law: Law, params: &StepParams, flock: &BoidState, search: &impl Search) -> Vec<Boid> {
    match law {
        Law::CountingSort => steer::steer::<counting_sort::CountingSort>(params, flock, search),
        Law::Probe => steer::steer::<probe::Probe>(params, flock, search),
        Law::Reynolds => steer::steer::<reynolds::Reynolds>(params, flock, search),
    }
}
