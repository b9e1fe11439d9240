//! The trait of laws: sums over neighbors, and what a boid wants, given these sums.

use super::lanes::Lane;
use super::motion::Wish;
use super::sums::Sums;
use super::vectors::{Boids, Neighbors, V3};
use crate::flock::layout::StepParams;
use crate::limits::MANNER_OWN_SPEED;

/// What is the boid's own in a step, in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Own<L> {
    /// Vectorial noise, or zero, which a law that wants a heading adds to what it takes the direction of.
    pub noise: V3<L>,
    /// The factor of its speeds, if boids have their own.
    pub speed: Option<L>,
}

impl<L: Lane> Own<L> {
    /// The boid's own speed, where the usual one is `speed`, in as many lanes as `like` has.
    #[inline(always)]
    pub fn speed(&self, like: L, speed: f32) -> L {
        own_speed(self.speed, like, speed)
    }
}

/// The speed of boids with these factors, where the usual one is `speed`, in as many lanes as `like` has.
#[inline(always)]
pub fn own_speed<L: Lane>(factor: Option<L>, like: L, speed: f32) -> L {
    factor.map_or(
        like.constant(speed),
        #[inline(always)]
        |factor| factor * speed,
    )
}

/// The heading in a velocity slot: its direction, where boids have speeds of their own. There a law with a constant
/// speed stores the heading times the factor of the boid's speeds.
#[inline(always)]
pub fn heading_of<L: Lane>(params: &StepParams, slot: V3<L>) -> V3<L> {
    if params.manners.bits & MANNER_OWN_SPEED != 0 { slot.direction() } else { slot }
}

/// What a boid does with its neighbors: the counterpart of a file under `glsl/laws/`, written once for any [`Lane`].
pub trait Law: Sync {
    /// The sums over the neighbors.
    type Sums<L: Lane>: Sums<L>;

    /// What a boid wants: [`Force`](super::motion::Force), [`Velocity`](super::motion::Velocity) or
    /// [`Heading`](super::motion::Heading).
    type Wish<L: Lane>: Wish<L>;

    /// Adds the neighbors `others` to the sums: one for the boid of each lane, or none. Without one, `distance_squared`
    /// is beyond every radius or NaN, so a law compares it with its radii before it adds.
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Self::Sums<L>, others: &Neighbors<L>);

    /// The lanes in which [`Law::accumulate_close`] has something to add; `None` for a law without that function.
    #[inline(always)]
    fn is_close<L: Lane>(_params: &StepParams, _distance_squared: L) -> Option<L::Mask> {
        None
    }

    /// Adds what only close neighbors contribute, in the lanes `close`, where [`Law::is_close`] holds. Called in
    /// addition to [`Law::accumulate`], with the same distances, but not if no lane is close: few neighbors are, so
    /// this saves time.
    #[inline(always)]
    fn accumulate_close<L: Lane>(_sums: &mut Self::Sums<L>, _close: L::Mask, _others: &Neighbors<L>) {}

    /// The lanes in which [`Law::add_closest`] is to add the closest boid at any distance, given the sums over the
    /// neighbors; `None` for a law without that function.
    #[inline(always)]
    fn wants_closest<L: Lane>(_sums: &Self::Sums<L>) -> Option<L::Mask> {
        None
    }

    /// Adds the closest boids where `mask` holds.
    #[inline(always)]
    fn add_closest<L: Lane>(_sums: &mut Self::Sums<L>, _mask: L::Mask, _closest: &Neighbors<L>) {}

    /// What the boid in each lane wants, given the sums over its neighbors.
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Self::Sums<L>, own: &Own<L>) -> Self::Wish<L>;
}
