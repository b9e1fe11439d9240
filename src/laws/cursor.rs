//! The counterpart of `glsl/laws/cursor.glsl`, which has the formulas.

use super::lanes::Lane;
use super::law::{Law, Own};
use super::motion::Velocity;
use super::vectors::{ALIGNMENT, Boids, COHESION, Neighbors, SEPARATION, V3};
use super::walls::way_to;
use crate::flock::layout::StepParams;

/// A flock that follows the cursor, and avoids it at close range.
pub struct Cursor;

super::sums::sums! {
    /// The law's sums over the neighbors.
    pub struct Sums {
        /// Σ v_j of near neighbors
        velocity: V3<L>,
        /// Σ p_j - p of near neighbors
        offset: V3<L>,
        /// Σ p_j - p of neighbors about to collide
        collision: V3<L>,
        near: L,
        colliding: L,
        /// Of the near ones, those that count in alignment; with kinds only.
        aligning: L,
        /// And in cohesion.
        cohering: L,
    }
}

impl Law for Cursor {
    type Sums<L: Lane> = Sums<L>;
    type Wish<L: Lane> = Velocity<L>;

    #[inline(always)]
    fn accumulate<L: Lane>(params: &StepParams, sums: &mut Sums<L>, others: &Neighbors<L>) {
        let one = others.distance_squared.constant(1.0);
        let radius = one * params.rules.alignment_radius;
        let near = others.distance_squared.lt(radius * radius);
        sums.velocity.add_where(near, others.felt(ALIGNMENT, others.velocity));
        sums.offset.add_where(near, others.felt(COHESION, others.offset));
        sums.near.add_where(near, one);
        if others.felt.is_some() {
            sums.aligning.add_where(near, others.counted(ALIGNMENT));
            sums.cohering.add_where(near, others.counted(COHESION));
        }
    }

    #[inline(always)]
    fn is_close<L: Lane>(params: &StepParams, distance_squared: L) -> Option<L::Mask> {
        let radius = distance_squared.constant(params.rules.separation_radius);
        Some(distance_squared.lt(radius * radius))
    }

    #[inline(always)]
    fn accumulate_close<L: Lane>(sums: &mut Sums<L>, close: L::Mask, others: &Neighbors<L>) {
        sums.collision.add_where(close, others.felt(SEPARATION, others.offset));
        sums.colliding.add_where(close, others.counted(SEPARATION));
    }

    #[inline(always)]
    fn wants_closest<L: Lane>(sums: &Sums<L>) -> Option<L::Mask> {
        Some(sums.near.le(sums.near.constant(0.0)))
    }

    #[inline(always)]
    fn add_closest<L: Lane>(sums: &mut Sums<L>, mask: L::Mask, closest: &Neighbors<L>) {
        sums.velocity.add_where(mask, closest.felt(ALIGNMENT, closest.velocity));
        sums.offset.add_where(mask, closest.felt(COHESION, closest.offset));
        sums.near.add_where(mask, sums.near.constant(1.0));
    }

    #[inline(always)]
    fn want<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Sums<L>, _own: &Own<L>) -> Velocity<L> {
        let rules = &params.rules;
        let one = sums.near.constant(1.0);
        let (near, colliding) = (sums.near.max(one), sums.colliding.max(one));
        let (aligning, cohering) = match params.kinds.count {
            0 => (near, near),
            _ => (sums.aligning.max(one), sums.cohering.max(one)),
        };
        let wanted = me.velocity
            + sums.velocity / aligning * rules.alignment_weight
            + sums.offset / cohering * rules.cohesion_weight
            - sums.collision / colliding * rules.separation_weight
            + drawn_by_cursor(params, me.position);
        Velocity(me.velocity.lerp(wanted, one * rules.blend))
    }
}

#[inline(always)]
fn drawn_by_cursor<L: Lane>(params: &StepParams, position: V3<L>) -> V3<L> {
    let rules = &params.rules;
    let offset = way_to(params, position, position.constant(params.cursor));
    // Rounded like the kernel's, so that both agree on which side of the distance a boid is.
    let rounded = offset.map(L::rounded);
    let squared = ((rounded.x * rounded.x).rounded() + (rounded.y * rounded.y).rounded()).rounded();
    let squared = (squared + (rounded.z * rounded.z).rounded()).rounded();
    let distance = squared.constant(rules.cursor_distance);
    let beyond = (distance * distance).rounded().lt(squared);
    V3::select(beyond, offset * rules.cursor_attraction, -offset.direction() * rules.cursor_repulsion)
}
