//! Twin of `glsl/laws/counting_sort.glsl`, where the formulas stand.

use crate::flock::layout::StepParams;
use crate::reference::lanes::{Lane, SMALLEST_NORMAL, V3};
use crate::reference::steer::{Boids, Law};
use glam::Vec3;

/// Constant speed, and a heading that turns towards the sum of the rules and the nearest target.
pub struct CountingSort;

crate::sums! {
    /// What the law adds up over the neighbors.
    pub struct Sums {
        /// Σ -(p_j - p)/d · (R - d)/R
        away: V3<L>,
        /// Σ h_j
        heading: V3<L>,
        /// Σ p_j - p
        offset: V3<L>,
        count: L,
    }
}

impl Law for CountingSort {
    type Sums<L: Lane> = Sums<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(
        params: &StepParams,
        sums: &mut Sums<L>,
        others: &Boids<L>,
        offset: V3<L>,
        distance_squared: L,
    ) {
        let radius = params.rules.search_radius;
        let counts = distance_squared.within(radius);
        let repels = counts & distance_squared.at_least(SMALLEST_NORMAL);
        // (R - d) / (R d)
        let d = distance_squared.sqrt();
        sums.away.add_where(repels, offset * ((d - radius) / (d * radius)));
        sums.heading.add_where(counts, others.velocity);
        sums.offset.add_where(counts, offset);
        sums.count.add_where(counts, d.constant(1.0));
    }

    #[inline(always)]
    fn steer<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>) -> Boids<L> {
        let rules = &params.rules;
        let n = sums.count.max(sums.count.constant(1.0));
        let force = sums.away / n * rules.separation_weight
            + sums.heading / n * rules.alignment_weight
            + sums.offset / n * rules.cohesion_weight
            + nearest_target(params, me.position) * rules.target_weight;
        let force = force.direction();
        let turn = n.constant(rules.turn_rate) * params.time_step;
        let turned = me.velocity.lerp(force, turn).direction();
        let turned = V3 { y: turned.y.clamp(-0.5, 0.5), ..turned }.direction();
        let keeps = force.is_zero() | turned.is_zero();
        let heading = V3::select(keeps, me.velocity, turned);
        Boids { position: me.position + heading * rules.move_speed * params.time_step, velocity: heading }
    }
}

/// The way to the nearest target; zero where there is none.
#[inline(always)]
pub fn nearest_target<L: Lane>(params: &StepParams, position: V3<L>) -> V3<L> {
    let mut nearest = position.constant(Vec3::ZERO);
    for (k, target) in params.targets[..params.target_count as usize].iter().enumerate() {
        let offset = position.constant(Vec3::new(target[0], target[1], target[2])) - position;
        let is_nearer = offset.length_squared().lt(nearest.length_squared());
        nearest = if k == 0 { offset } else { V3::select(is_nearer, offset, nearest) };
    }
    nearest
}
