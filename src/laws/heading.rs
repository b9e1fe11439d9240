//! The counterpart of `glsl/laws/heading.glsl`, which has the formulas.

use super::lanes::{Lane, SMALLEST_NORMAL};
use super::law::{Law, Own, heading_of};
use super::motion;
use super::targets::nearest_target;
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use crate::flock::layout::StepParams;

/// Constant speed, and a heading that turns towards the sum of the rules and the nearest target.
pub struct Heading;

super::sums::sums! {
    /// The law's sums over the neighbors.
    pub struct Sums {
        /// Σ -(p_j - p)/d · (R - d)/R
        away: V3<L>,
        /// Σ h_j
        heading: V3<L>,
        /// Σ p_j - p
        offset: V3<L>,
        count: L,
        /// Those that count in alignment; with kinds only.
        aligning: L,
        /// And in cohesion.
        cohering: L,
    }
}

impl Law for Heading {
    type Sums<L: Lane> = Sums<L>;
    type Wish<L: Lane> = motion::Heading<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let radius = params.rules.separation_radius;
        let squared = others.distance_squared.constant(radius);
        let counts = others.distance_squared.lt(squared * squared);
        let repels = counts & others.distance_squared.at_least(SMALLEST_NORMAL);
        // (R - d) / (R d)
        let d = others.distance_squared.sqrt();
        sums.away.add_where(repels, others.felt(SEPARATION, others.offset * ((d - radius) / (d * radius))));
        sums.heading.add_where(counts, others.felt(ALIGNMENT, heading_of(params, others.velocity)));
        sums.offset.add_where(counts, others.felt(COHESION, others.offset));
        sums.count.add_where(counts, others.counted(SEPARATION));
        if others.felt.is_some() {
            sums.aligning.add_where(counts, others.counted(ALIGNMENT));
            sums.cohering.add_where(counts, others.counted(COHESION));
        }
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>, own: &Own<L>) -> motion::Heading<L> {
        let rules = &params.rules;
        let (heading, one) = (heading_of(params, me.velocity), sums.count.constant(1.0));
        let (aligning, cohering) = match params.kinds.count {
            0 => (sums.count, sums.count),
            _ => (sums.aligning, sums.cohering),
        };
        let n = sums.count.max(one);
        let force = sums.away / n * rules.separation_weight
            + sums.heading / aligning.max(one) * rules.alignment_weight
            + sums.offset / cohering.max(one) * rules.cohesion_weight
            + nearest_target(params, me.position) * rules.target_weight;
        let force = (force + own.noise).direction();
        let turn = n.constant(rules.turn_rate) * params.time_step;
        let turned = heading.lerp(force, turn).direction();
        let turned = V3 { y: turned.y.clamp(-0.5, 0.5), ..turned }.direction();
        let keeps = force.is_zero() | turned.is_zero();
        motion::Heading(V3::select(keeps, heading, turned))
    }
}
