//! Twin of `glsl/laws/reynolds.glsl`, where the formulas stand.

use crate::flock::layout::StepParams;
use crate::reference::steer::{Boid, Law, SMALLEST_NORMAL, direction_of, limit};
use glam::DVec3;

/// Each rule asks for a velocity at full speed, and the force towards it is limited.
pub struct Reynolds;

/// What the law adds up over the neighbors.
#[derive(Default)]
pub struct Sums {
    /// Σ (p - p_j)/d² within the separation radius
    away: DVec3,
    /// Σ v_j within the alignment radius
    velocity: DVec3,
    /// Σ p_j - p within the cohesion radius
    offset: DVec3,
}

impl Law for Reynolds {
    type Sums = Sums;

    fn accumulate(params: &StepParams, sums: &mut Sums, other: &Boid, offset: DVec3, distance_squared: f64) {
        let within = |radius: f32| distance_squared <= f64::from(radius) * f64::from(radius);
        if within(params.rules.separation_radius) && distance_squared >= SMALLEST_NORMAL {
            sums.away -= offset / distance_squared;
        }
        if within(params.rules.alignment_radius) {
            sums.velocity += other.velocity;
        }
        if within(params.rules.cohesion_radius) {
            sums.offset += offset;
        }
    }

    fn steer(params: &StepParams, me: &Boid, sums: &Sums) -> Boid {
        let rules = &params.rules;
        let time_step = f64::from(params.time_step);
        let steer_along = |wanted: DVec3| {
            let direction = direction_of(wanted);
            if direction == DVec3::ZERO {
                return DVec3::ZERO;
            }
            limit(direction * f64::from(rules.max_speed) - me.velocity, rules.max_force.into())
        };
        // In single precision, like the kernel: on which side of a wall a boid is must not differ.
        let from_center = me.position.as_vec3() - params.world.center;
        let half_size = params.world.half_size;
        let wall = DVec3::from_array(std::array::from_fn(|axis| match from_center[axis] {
            d if d < -half_size[axis] => 1.0,
            d if d > half_size[axis] => -1.0,
            _ => 0.0,
        }));
        let force = f64::from(rules.separation_weight) * steer_along(sums.away)
            + f64::from(rules.alignment_weight) * steer_along(sums.velocity)
            + f64::from(rules.cohesion_weight) * steer_along(sums.offset)
            + f64::from(rules.wall_weight) * wall;
        let velocity = limit(me.velocity + force * time_step, rules.max_speed.into());
        Boid { position: me.position + velocity * time_step, velocity }
    }
}
