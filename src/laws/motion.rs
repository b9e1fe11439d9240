//! How a boid moves, under any law: the counterpart of `glsl/include/motion.glsl`, which has the formulas.

use super::lanes::Lane;
use super::law::{heading_of, own_speed};
use super::manners::{directed, mannered};
use super::obstacles::{avoid_obstacles, meet_obstacles};
use super::steering::steer_along;
use super::targets::nearest_target;
use super::vectors::{Boids, V3};
use super::walls::{meet_walls, wall_push, way_to};
use crate::flock::FAR;
use crate::flock::kinds::Hunter;
use crate::flock::layout::{MovementWeights, StepParams};
use crate::flock::obstacles::Obstacle;
use crate::limits::WALLS_PUSH;
use crate::limits::{INFLUENCE_CURRENT, INFLUENCE_LEADER, INFLUENCE_OBSTACLES, INFLUENCE_POINTS, INFLUENCE_TARGETS};
use glam::Vec3;

/// What the boid in each lane wants. Its kind determines how the step is taken.
pub trait Wish<L: Lane>: Sized {
    /// The boids after the step, given those before it, whose state may not be finite.
    fn taken(self, params: &StepParams, me: &Boids<L>, influences: &Influences<'_, L>) -> Boids<L>;

    /// The boids after the step, given those before it. Those whose state would not be finite are put far away, at
    /// rest.
    #[cfg_attr(not(one_instruction_set), inline(always))]
    fn moved(self, params: &StepParams, me: &Boids<L>, influences: &Influences<'_, L>) -> Boids<L> {
        let Boids { position, velocity } = self.taken(params, me, influences);
        let kept = is_finite(position) & is_finite(velocity);
        Boids {
            position: V3::select(kept, position, position.constant(Vec3::splat(FAR))),
            velocity: V3::select(kept, velocity, velocity.constant(Vec3::ZERO)),
        }
    }
}

/// Whether all components are finite in single precision: infinity minus itself is NaN, which does not equal itself.
#[inline(always)]
fn is_finite<L: Lane>(v: V3<L>) -> L::Mask {
    let finite = |x: L| {
        let zero = x.rounded() - x.rounded();
        zero.le(zero)
    };
    finite(v.x) & finite(v.y) & finite(v.z)
}

/// A force, in world units per second squared.
pub struct Force<L>(pub V3<L>);

/// A velocity, in world units per second.
pub struct Velocity<L>(pub V3<L>);

/// A heading, a unit vector; the speed is `move_speed`.
pub struct Heading<L>(pub V3<L>);

/// The influences on boids besides their law and the walls, each with its weight for the boid in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Influences<'a, L> {
    /// Those that are switched on: `INFLUENCE_` bits of [`limits`](crate::limits).
    pub bits: u32,
    /// The nearest target.
    pub targets: Option<L>,
    /// The leader, and its position before the step.
    pub leader: Option<(L, Vec3)>,
    /// The current.
    pub current: Option<L>,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Two numbers in [0, 1) for the noise of each boid, if there is any.
    pub drawn: Option<[L; 2]>,
    /// The factor of the boid's speeds, if boids have their own.
    pub speed: Option<L>,
    /// What each boid hunts, if any does: the way to the nearest of its prey, or zero, and the strength of the chase.
    pub prey: Option<(V3<L>, L)>,
    /// The number of each boid's kind, if there are hunters.
    pub kind: Option<L>,
    /// Those that are feared.
    pub hunters: &'a [Hunter],
}

impl<'a, L: Copy> Influences<'a, L> {
    /// No influences.
    pub const NONE: Self = Influences {
        bits: 0,
        targets: None,
        leader: None,
        current: None,
        obstacles: &[],
        drawn: None,
        speed: None,
        prey: None,
        kind: None,
        hunters: &[],
    };

    /// Those of `bits`: `weight` gives the lanes' weights of one of them, `leader` is the leader's position, and
    /// `obstacles` are those of the settings.
    #[inline(always)]
    pub fn switched_on(
        bits: u32,
        leader: Option<Vec3>,
        obstacles: &'a [Obstacle],
        weight: impl Fn(fn(&MovementWeights) -> f32) -> L,
    ) -> Self {
        let mut on = Influences { bits, obstacles, ..Influences::NONE };
        if bits & INFLUENCE_TARGETS != 0 {
            on.targets = Some(weight(|weights| weights.target));
        }
        if let Some(place) = leader.filter(|place| place.x < FAR)
            && bits & INFLUENCE_LEADER != 0
        {
            on.leader = Some((weight(|weights| weights.leader), place));
        }
        if bits & INFLUENCE_CURRENT != 0 {
            on.current = Some(weight(|weights| weights.current));
        }
        on
    }
}

/// The sum of the influences on boids at `position`, in world units per second squared; `None` if there are none.
#[cfg_attr(not(one_instruction_set), inline(always))]
fn acceleration<L: Lane>(
    params: &StepParams,
    influences: &Influences<'_, L>,
    position: V3<L>,
    velocity: V3<L>,
    full_speed: L,
) -> Option<V3<L>> {
    let (rules, Influences { bits, targets, leader, current, obstacles, prey, .. }) = (&params.rules, *influences);
    if bits == 0 && params.walls != WALLS_PUSH {
        return None;
    }
    let mut sum = wall_push(params, position) * rules.wall_weight;
    if let Some(weight) = targets {
        sum += steer_along(rules, nearest_target(params, position), velocity, full_speed) * weight;
    }
    if let Some((weight, leader)) = leader {
        sum += steer_along(rules, way_to(params, position, position.constant(leader)), velocity, full_speed) * weight;
    }
    if let Some(weight) = current {
        sum += (velocity.constant(params.current) - velocity).limit(rules.max_force) * weight;
    }
    if bits & INFLUENCE_POINTS != 0 {
        for point in &params.points[..params.point_count as usize] {
            let to_point = way_to(params, position, position.constant(point.position));
            let share = to_point.x.constant(1.0) - to_point.length_squared().sqrt() / point.reach;
            let share = share.max(to_point.x.constant(0.0));
            sum += to_point.direction() * (share * point.strength);
        }
    }
    if let Some((way, chase)) = prey {
        sum += steer_along(rules, way, velocity, full_speed) * chase;
    }
    if let Some(kind) = influences.kind {
        for hunter in influences.hunters {
            let to_hunter = way_to(params, position, position.constant(hunter.position));
            let share = to_hunter.x.constant(1.0) - to_hunter.length_squared().sqrt() / hunter.reach;
            let fear = (share.max(to_hunter.x.constant(0.0)) * hunter.fear).only(kind.is(hunter.prey));
            sum = sum - to_hunter.direction() * fear;
        }
    }
    if bits & INFLUENCE_OBSTACLES != 0 {
        sum += avoid_obstacles(params, obstacles, position, velocity, full_speed);
    }
    Some(sum)
}

/// The boids, whose velocity is the new one, after their way: walls and obstacles are met.
#[cfg_attr(not(one_instruction_set), inline(always))]
fn went<L: Lane>(params: &StepParams, influences: &Influences<'_, L>, boids: Boids<L>, way: V3<L>) -> Boids<L> {
    let met = meet_walls(params, boids, way);
    if influences.bits & INFLUENCE_OBSTACLES == 0 {
        return met;
    }
    meet_obstacles(params, influences.obstacles, boids.position, way, met)
}

impl<L: Lane> Wish<L> for Force<L> {
    #[inline(always)]
    fn taken(self, params: &StepParams, me: &Boids<L>, influences: &Influences<'_, L>) -> Boids<L> {
        let max_speed = own_speed(influences.speed, me.velocity.x, params.rules.max_speed);
        let mut force = self.0;
        if let Some(change) = acceleration(params, influences, me.position, me.velocity, max_speed) {
            force += change;
        }
        let velocity = (me.velocity + force * params.time_step).limit_to(max_speed);
        let velocity = mannered(params, influences, me.velocity, velocity);
        went(params, influences, Boids { position: me.position, velocity }, velocity * params.time_step)
    }
}

impl<L: Lane> Wish<L> for Velocity<L> {
    #[inline(always)]
    fn taken(self, params: &StepParams, me: &Boids<L>, influences: &Influences<'_, L>) -> Boids<L> {
        let max_speed = own_speed(influences.speed, me.velocity.x, params.rules.max_speed);
        let mut velocity = self.0;
        if let Some(change) = acceleration(params, influences, me.position, me.velocity, max_speed) {
            velocity += change * params.time_step;
        }
        let velocity = mannered(params, influences, me.velocity, velocity.limit_to(max_speed));
        went(params, influences, Boids { position: me.position, velocity }, velocity * params.time_step)
    }
}

impl<L: Lane> Wish<L> for Heading<L> {
    #[inline(always)]
    fn taken(self, params: &StepParams, me: &Boids<L>, influences: &Influences<'_, L>) -> Boids<L> {
        let speed = own_speed(influences.speed, me.velocity.x, params.rules.move_speed);
        let (before, mut heading) = (heading_of(params, me.velocity), self.0);
        if let Some(change) = acceleration(params, influences, me.position, before * speed, speed) {
            let change = change * params.time_step;
            let turned = (heading * speed + change).direction();
            heading = V3::select(change.is_zero() | turned.is_zero(), heading, turned);
        }
        heading = directed(params, influences, before, heading);
        let way = heading * speed * params.time_step;
        let mut boids = went(params, influences, Boids { position: me.position, velocity: heading }, way);
        if influences.bits & INFLUENCE_OBSTACLES != 0 {
            let turned = boids.velocity.direction();
            boids.velocity = V3::select(turned.is_zero(), -heading, turned);
        }
        if let Some(factor) = influences.speed {
            boids.velocity = boids.velocity * factor;
        }
        boids
    }
}
