//! Twin of `glsl/laws/bounce.glsl`, where the formulas stand.

use crate::flock::layout::StepParams;
use crate::reference::lanes::{Lane, V3};
use crate::reference::steer::{Boids, Law};

/// Straight on at constant speed: only walls turn a boid.
pub struct Bounce;

crate::sums! {
    /// What the law counts, and does not use.
    pub struct Sums {
        count: L,
    }
}

impl Law for Bounce {
    type Sums<L: Lane> = Sums<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(
        params: &StepParams,
        sums: &mut Sums<L>,
        _others: &Boids<L>,
        _offset: V3<L>,
        distance_squared: L,
    ) {
        let counts = distance_squared.within(params.rules.search_radius);
        sums.count.add_where(counts, distance_squared.constant(1.0));
    }

    #[inline(always)]
    fn steer<L: Lane>(params: &StepParams, me: &Boids<L>, _sums: &Sums<L>) -> Boids<L> {
        let way = me.velocity * params.rules.move_speed * params.time_step;
        Boids { position: me.position + way, velocity: me.velocity }
    }
}
