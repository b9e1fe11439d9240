//! The counterpart of `glsl/laws/three_radius.glsl`, which has the formulas.

use super::lanes::{Lane, SMALLEST_NORMAL};
use super::law::{Law, Own};
use super::motion::Force;
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use crate::flock::layout::StepParams;

/// Three means, each over the neighbors within a radius of its own, and a limited force.
pub struct ThreeRadius;

super::sums::sums! {
    /// The law's sums over the neighbors.
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
    type Wish<L: Lane> = Force<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let (rules, squared) = (&params.rules, others.distance_squared);
        // A boid at the same place is not a neighbor.
        let elsewhere = squared.at_least(SMALLEST_NORMAL);
        let aligns = squared.within(rules.alignment_radius) & elsewhere;
        let coheres = squared.within(rules.cohesion_radius) & elsewhere;
        sums.velocity.add_where(aligns, others.felt(ALIGNMENT, others.velocity));
        sums.offset.add_where(coheres, others.felt(COHESION, others.offset));
        sums.counts.y.add_where(aligns, others.counted(ALIGNMENT));
        sums.counts.z.add_where(coheres, others.counted(COHESION));
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, others: &Neighbors<L>) {
        let separates = close & others.distance_squared.at_least(SMALLEST_NORMAL);
        sums.away.add_where(separates, others.felt(SEPARATION, -others.offset));
        sums.counts.x.add_where(separates, others.counted(SEPARATION));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, _me: &Boids<L>, sums: &Sums<L>, _own: &Own<L>) -> Force<L> {
        let rules = &params.rules;
        let counts = sums.counts.map(
            #[inline(always)]
            |count| count.max(count.constant(1.0)),
        );
        let wanted = sums.away / counts.x * rules.separation_weight
            + sums.velocity / counts.y * rules.alignment_weight
            + sums.offset / counts.z * rules.cohesion_weight;
        Force(wanted.limit(rules.max_force))
    }
}
