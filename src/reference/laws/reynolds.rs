//! Twin of `glsl/laws/reynolds.glsl`, where the formulas stand.

use crate::flock::layout::{Rules, StepParams};
use crate::reference::lanes::{Lane, SMALLEST_NORMAL, V3};
use crate::reference::steer::{Boids, Law};
use crate::reference::walls::wall_push;

/// Each rule asks for a velocity at full speed, and the force towards it is limited.
pub struct Reynolds;

crate::sums! {
    /// What the law adds up over the neighbors.
    pub struct Sums {
        /// Σ (p - p_j)/d² within the separation radius
        away: V3<L>,
        /// Σ v_j within the alignment radius
        velocity: V3<L>,
        /// Σ p_j - p within the cohesion radius
        offset: V3<L>,
    }
}

impl Law for Reynolds {
    type Sums<L: Lane> = Sums<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(
        params: &StepParams,
        sums: &mut Sums<L>,
        others: &Boids<L>,
        offset: V3<L>,
        distance_squared: L,
    ) {
        let within = |radius: f32| distance_squared.within(radius);
        sums.velocity.add_where(within(params.rules.alignment_radius), others.velocity);
        sums.offset.add_where(within(params.rules.cohesion_radius), offset);
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, offset: V3<L>, distance_squared: L) {
        // A neighbor in the same place repels in no direction.
        let repels = close & distance_squared.at_least(SMALLEST_NORMAL);
        sums.away.add_where(repels, -offset / distance_squared);
    }

    #[inline(always)]
    fn steer<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>) -> Boids<L> {
        let rules = &params.rules;
        let force = steer_along(rules, me.velocity, sums.away) * rules.separation_weight
            + steer_along(rules, me.velocity, sums.velocity) * rules.alignment_weight
            + steer_along(rules, me.velocity, sums.offset) * rules.cohesion_weight
            + wall_push(params, me.position) * rules.wall_weight;
        let velocity = (me.velocity + force * params.time_step).limit(rules.max_speed);
        Boids { position: me.position + velocity * params.time_step, velocity }
    }
}

/// The limited force towards full speed along `wanted`, if that has a direction.
#[inline(always)]
pub fn steer_along<L: Lane>(rules: &Rules, velocity: V3<L>, wanted: V3<L>) -> V3<L> {
    let direction = wanted.direction();
    (direction * rules.max_speed - velocity).limit(rules.max_force).only(!direction.is_zero())
}
