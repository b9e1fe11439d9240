//! The trait of laws: sums over neighbors, and what a boid wants, given these sums.

use super::lanes::Lane;
use super::motion::Wish;
use super::sums::Sums;
use super::vectors::{Boids, Neighbors};
use crate::flock::layout::StepParams;

/// What a boid does with its neighbors: the counterpart of a file under `glsl/laws/`, written once for any [`Lane`].
pub trait Law: Sync {
    /// The sums over the neighbors.
    type Sums<L: Lane>: Sums<L>;

    /// What a boid wants: [`Force`](super::motion::Force), [`Velocity`](super::motion::Velocity) or
    /// [`Heading`](super::motion::Heading).
    type Wish<L: Lane>: Wish<L>;

    /// Adds the neighbors `others` to the sums: one for the boid of each lane, or none. Without one, `distance_squared` is beyond
    /// every radius or NaN, so a law compares it with its radii before it adds.
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Self::Sums<L>, others: &Neighbors<L>);

    /// The lanes in which [`Law::accumulate_close`] has something to add; `None` for a law without that function.
    #[inline(always)]
    fn is_close<L: Lane>(_params: &StepParams, _distance_squared: L) -> Option<L::Mask> {
        None
    }

    /// Adds what only close neighbors contribute, in the lanes `close`, where [`Law::is_close`] holds. Called in addition to
    /// [`Law::accumulate`], with the same distances, but not if no lane is close: few neighbors are, so this saves time.
    #[inline(always)]
    fn accumulate_close<L: Lane>(_sums: &mut Self::Sums<L>, _close: L::Mask, _others: &Neighbors<L>) {}

    /// The lanes in which [`Law::add_closest`] is to add the closest boid at any distance, given the sums over the neighbors;
    /// `None` for a law without that function.
    #[inline(always)]
    fn wants_closest<L: Lane>(_sums: &Self::Sums<L>) -> Option<L::Mask> {
        None
    }

    /// Adds the closest boids where `mask` holds.
    #[inline(always)]
    fn add_closest<L: Lane>(_sums: &mut Self::Sums<L>, _mask: L::Mask, _closest: &Neighbors<L>) {}

    /// What the boid in each lane wants, given the sums over its neighbors.
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Self::Sums<L>) -> Self::Wish<L>;
}
