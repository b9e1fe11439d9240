//! The counterpart of `glsl/laws/probe.glsl`, which says where each result is stored.

use super::lanes::{Lane, SMALLEST_NORMAL};
use super::law::{Law, Own};
use super::motion::{Influences, Wish};
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use crate::flock::layout::StepParams;

/// Stores the sums over the neighbors, and their counts, in place of the state.
pub struct Probe;

super::sums::sums! {
    /// The sums over the neighbors.
    pub struct Sums {
        away: V3<L>,
        velocity: V3<L>,
        offset: V3<L>,
        /// Within the largest radius, the separation radius and the alignment radius.
        counts: V3<L>,
    }
}

impl Law for Probe {
    type Sums<L: Lane> = Sums<L>;
    type Wish<L: Lane> = Probed<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let within = |radius: f32| others.distance_squared.within(radius);
        let one = others.distance_squared.constant(1.0);
        let aligns = within(params.rules.alignment_radius);
        sums.velocity.add_where(aligns, others.felt(ALIGNMENT, others.velocity));
        sums.offset.add_where(within(params.rules.cohesion_radius), others.felt(COHESION, others.offset));
        sums.counts.x.add_where(within(params.rules.reach()), one);
        sums.counts.z.add_where(aligns, one);
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        Some(distance_squared.within(params.rules.separation_radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, others: &Neighbors<L>) {
        let repels = close & others.distance_squared.at_least(SMALLEST_NORMAL);
        sums.away.add_where(repels, others.felt(SEPARATION, -others.offset / others.distance_squared));
        sums.counts.y.add_where(close, others.distance_squared.constant(1.0));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, _me: &Boids<L>, sums: &Sums<L>, _own: &Own<L>) -> Probed<L> {
        Probed(match params.step {
            0 => Boids { position: sums.offset, velocity: sums.velocity },
            _ => Boids { position: sums.away, velocity: sums.counts },
        })
    }
}

/// The sums, in place of the state.
pub struct Probed<L>(Boids<L>);

impl<L: Lane> Wish<L> for Probed<L> {
    /// Boids do not move.
    #[inline(always)]
    fn taken(self, _params: &StepParams, _me: &Boids<L>, _influences: &Influences<'_, L>) -> Boids<L> {
        self.0
    }
}
