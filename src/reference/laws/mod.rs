//! Twins of the laws under `glsl/laws/`, one file each.

pub mod bounce;
pub mod counting_sort;
pub mod cursor;
pub mod probe;
pub mod reynolds;
pub mod three_radius;

use super::searches::Search;
use super::steer::{self, Boid};
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Law};

/// All boids after a step of `law`.
pub fn steer(law: Law, params: &StepParams, flock: &BoidState, search: &impl Search) -> Vec<Boid> {
    match law {
        Law::CountingSort => steer::steer::<counting_sort::CountingSort>(params, flock, search),
        Law::ThreeRadius => steer::steer::<three_radius::ThreeRadius>(params, flock, search),
        Law::Cursor => steer::steer::<cursor::Cursor>(params, flock, search),
        Law::Reynolds => steer::steer::<reynolds::Reynolds>(params, flock, search),
        Law::Bounce => steer::steer::<bounce::Bounce>(params, flock, search),
        Law::Probe => steer::steer::<probe::Probe>(params, flock, search),
    }
}
