//! Twin of `glsl/laws/three_radius.glsl`, where the formulas stand.

use crate::flock::layout::StepParams;
use crate::reference::lanes::{Lane, SMALLEST_NORMAL, V3};
use crate::reference::steer::{Boids, Law};
use crate::reference::walls::wall_push;

/// Three means, each over the neighbors within a radius of its own, and a limited force.
pub struct ThreeRadius;

crate::sums! {
    /// What the law adds up over the neighbors.
    pub struct Sums {
        /// Σ p - p_j within the separation radius
        away: V3<L>,
        /// Σ v_j within the alignment radius
        velocity: V3<L>,
        /// Σ p_j - p within the cohesion radius
        offset: V3<L>,
        /// Neighbors within each.
        counts: V3<L>,
    }
}

impl Law for ThreeRadius {
    type Sums<L: Lane> = Sums<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(
        params: &StepParams,
        sums: &mut Sums<L>,
        others: &Boids<L>,
        offset: V3<L>,
        distance_squared: L,
    ) {
        let one = distance_squared.constant(1.0);
        // A boid in the same place is no neighbor.
        let elsewhere = distance_squared.at_least(SMALLEST_NORMAL);
        let rules = &params.rules;
        let [aligns, coheres] = [rules.alignment_radius, rules.cohesion_radius].map(
            #[inline(always)]
            |radius| distance_squared.within(radius) & elsewhere,
        );
        sums.velocity.add_where(aligns, others.velocity);
        sums.offset.add_where(coheres, offset);
        sums.counts.y.add_where(aligns, one);
        sums.counts.z.add_where(coheres, one);
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, offset: V3<L>, distance_squared: L) {
        let separates = close & distance_squared.at_least(SMALLEST_NORMAL);
        sums.away.add_where(separates, -offset);
        sums.counts.x.add_where(separates, offset.x.constant(1.0));
    }

    #[inline(always)]
    fn steer<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>) -> Boids<L> {
        let rules = &params.rules;
        let counts = sums.counts.map(
            #[inline(always)]
            |count| count.max(count.constant(1.0)),
        );
        let wanted = sums.away / counts.x * rules.separation_weight
            + sums.velocity / counts.y * rules.alignment_weight
            + sums.offset / counts.z * rules.cohesion_weight;
        let force = wanted.limit(rules.max_force) + wall_push(params, me.position) * rules.wall_weight;
        let velocity = (me.velocity + force * params.time_step).limit(rules.max_speed);
        Boids { position: me.position + velocity * params.time_step, velocity }
    }
}
