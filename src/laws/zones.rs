//! The counterpart of `glsl/laws/zones.glsl`, which has the formulas.

use super::lanes::{Lane, SMALLEST_NORMAL};
use super::law::{Law, Own, heading_of};
use super::motion::Heading;
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use crate::flock::layout::StepParams;

/// Constant speed, and a heading that turns at once: by repulsion before all else, then by orientation and attraction.
pub struct Zones;

super::sums::sums! {
    /// The law's sums over the neighbors.
    pub struct Sums {
        /// Σ -(p_j - p)/d, of those too near
        away: V3<L>,
        /// Σ h_j, of those around
        heading: V3<L>,
        /// Σ (p_j - p)/d, of those farther away
        toward: V3<L>,
        too_near: L,
        /// Around and farther away.
        others: L,
    }
}

/// The directions to the others; zero to one in the same place.
#[inline(always)]
fn direction<L: Lane>(others: &Neighbors<L>) -> V3<L> {
    let squared = others.distance_squared;
    let apart = squared.at_least(SMALLEST_NORMAL);
    (others.offset * (squared.constant(1.0) / L::select(apart, squared, squared.constant(1.0)).sqrt())).only(apart)
}

impl Law for Zones {
    type Sums<L: Lane> = Sums<L>;
    type Wish<L: Lane> = Heading<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let squared = others.distance_squared;
        let around = squared.within(params.rules.alignment_radius);
        let farther = squared.within(params.rules.cohesion_radius) & !around;
        sums.heading.add_where(around, others.felt(ALIGNMENT, heading_of(params, others.velocity)));
        sums.toward.add_where(farther, others.felt(COHESION, direction(others)));
        sums.others.add_where(around, others.counted(ALIGNMENT));
        sums.others.add_where(farther, others.counted(COHESION));
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, others: &Neighbors<L>) {
        sums.away.add_where(close, others.felt(SEPARATION, -direction(others)));
        sums.too_near.add_where(close, others.counted(SEPARATION));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>, own: &Own<L>) -> Heading<L> {
        let (rules, before) = (&params.rules, heading_of(params, me.velocity));
        let (zero, one) = (sums.others.constant(0.0), sums.others.constant(1.0));
        let all = (sums.others + rules.own_weight).max(one);
        let wanted = ((sums.heading + before * rules.own_weight) * rules.alignment_weight
            + sums.toward * rules.cohesion_weight)
            / all;
        let repelled = zero.lt(sums.too_near * rules.separation_weight);
        let wanted = V3::select(repelled, sums.away / sums.too_near.max(one), wanted);
        let wanted = V3::select(wanted.is_zero(), before, wanted);
        let heading = (wanted + own.noise).direction();
        Heading(V3::select(heading.is_zero(), before, heading))
    }
}
