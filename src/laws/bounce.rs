//! The counterpart of `glsl/laws/bounce.glsl`, which has the formulas.

use super::lanes::Lane;
use super::law::{Law, Own, heading_of};
use super::motion::Heading;
use super::vectors::{Boids, Neighbors, V3};
use crate::flock::layout::StepParams;

/// Straight on at constant speed: only walls turn a boid.
pub struct Bounce;

super::sums::sums! {
    /// The count of neighbors, which the law does not use.
    pub struct Sums {
        count: L,
    }
}

impl Law for Bounce {
    type Sums<L: Lane> = Sums<L>;
    type Wish<L: Lane> = Heading<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let counts = others.distance_squared.within(params.rules.separation_radius);
        sums.count.add_where(counts, others.distance_squared.constant(1.0));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, _sums: &Sums<L>, own: &Own<L>) -> Heading<L> {
        let heading = heading_of(params, me.velocity);
        let turned = (heading + own.noise).direction();
        Heading(V3::select(own.noise.is_zero() | turned.is_zero(), heading, turned))
    }
}
