//! The counterpart of `glsl/laws/bounce.glsl`, which has the formulas.

use super::lanes::Lane;
use super::law::Law;
use super::motion::Heading;
use super::vectors::{Boids, Neighbors};
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
        let counts = others.distance_squared.within(params.rules.search_radius);
        sums.count.add_where(counts, others.distance_squared.constant(1.0));
    }

    #[inline(always)]
    fn want<L: Lane>(_params: &StepParams, me: &Boids<L>, _sums: &Sums<L>) -> Heading<L> {
        Heading(me.velocity)
    }
}
