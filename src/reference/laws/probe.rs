//! Twin of `glsl/laws/probe.glsl`, which says what ends up where.

use crate::flock::layout::StepParams;
use crate::reference::steer::{Boid, Law, SMALLEST_NORMAL};
use glam::DVec3;

/// Leaves the sums over the neighbors, and their counts, where the state was.
pub struct Probe;

/// What is added up over the neighbors.
#[derive(Default)]
pub struct Sums {
    away: DVec3,
    velocity: DVec3,
    offset: DVec3,
    /// Within the search radius, the separation radius and the alignment radius.
    counts: DVec3,
}

impl Law for Probe {
    type Sums = Sums;

    fn accumulate(params: &StepParams, sums: &mut Sums, other: &Boid, offset: DVec3, distance_squared: f64) {
        let within = |radius: f32| distance_squared <= f64::from(radius) * f64::from(radius);
        if within(params.rules.separation_radius) {
            sums.counts.y += 1.0;
            if distance_squared >= SMALLEST_NORMAL {
                sums.away -= offset / distance_squared;
            }
        }
        if within(params.rules.alignment_radius) {
            sums.counts.z += 1.0;
            sums.velocity += other.velocity;
        }
        if within(params.rules.cohesion_radius) {
            sums.offset += offset;
        }
        sums.counts.x += 1.0;
    }

    fn steer(params: &StepParams, _me: &Boid, sums: &Sums) -> Boid {
        if params.step == 0 {
            Boid { position: sums.offset, velocity: sums.velocity }
        } else {
            Boid { position: sums.away, velocity: sums.counts }
        }
    }
}
