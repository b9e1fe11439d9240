//! The counterpart of `glsl/laws/reynolds.glsl`, which has the formulas.

use super::lanes::{Lane, SMALLEST_NORMAL};
use super::law::{Law, Own};
use super::motion::Force;
use super::steering::steer_along;
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use crate::flock::layout::StepParams;

/// Each rule asks for a velocity at full speed, and the force towards it is limited.
pub struct Reynolds;

super::sums::sums! {
    /// The law's sums over the neighbors.
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
    type Wish<L: Lane> = Force<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        // A boid in the same place is no neighbor.
        let elsewhere = others.distance_squared.at_least(SMALLEST_NORMAL);
        let within = |radius: f32| others.distance_squared.within(radius) & elsewhere;
        sums.velocity.add_where(within(params.rules.alignment_radius), others.felt(ALIGNMENT, others.velocity));
        sums.offset.add_where(within(params.rules.cohesion_radius), others.felt(COHESION, others.offset));
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, others: &Neighbors<L>) {
        let repels = close & others.distance_squared.at_least(SMALLEST_NORMAL);
        sums.away.add_where(repels, others.felt(SEPARATION, -others.offset / others.distance_squared));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>, own: &Own<L>) -> Force<L> {
        let rules = &params.rules;
        let full_speed = own.speed(me.velocity.x, rules.max_speed);
        let [away, velocity, offset] = [sums.away, sums.velocity, sums.offset].map(
            #[inline(always)]
            |wanted| steer_along(rules, wanted, me.velocity, full_speed),
        );
        Force(away * rules.separation_weight + velocity * rules.alignment_weight + offset * rules.cohesion_weight)
    }
}
