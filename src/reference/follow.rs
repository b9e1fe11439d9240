//! Twin of `find_leader.comp` and `follow.comp`: what boids heed besides their law.

use super::lanes::{Double, Lane, V3};
use super::laws::counting_sort::nearest_target;
use super::laws::reynolds::steer_along;
use super::steer::{Boid, Boids};
use super::walls::meet_walls;
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Settings};
use glam::Vec3;

/// Boids as their law moved them from `before`, once they have heeded what their weights say. `leader` is where the leader
/// was before the step.
#[inline(always)]
pub fn follow<L: Lane>(
    params: &StepParams,
    weights: V3<L>,
    leader: Option<Vec3>,
    before: V3<L>,
    moved: Boids<L>,
) -> Boids<L> {
    let (rules, velocity) = (&params.rules, moved.velocity);
    let [to_target, to_leader, with_current] = [weights.x, weights.y, weights.z];
    let mut extra = before.constant(Vec3::ZERO);
    if params.current != Vec3::ZERO {
        extra += (before.constant(params.current) - velocity).limit(rules.max_force) * with_current;
    }
    if params.target_count > 0 {
        extra += steer_along(rules, velocity, nearest_target(params, before)) * to_target;
    }
    if let Some(leader) = leader {
        extra += steer_along(rules, velocity, before.constant(leader) - before) * to_leader;
    }
    let velocity = (velocity + extra * params.time_step).limit(rules.max_speed);
    let followed = meet_walls(params, Boids { position: before + velocity * params.time_step, velocity });
    let still = extra.is_zero();
    Boids {
        position: V3::select(still, moved.position, followed.position),
        velocity: V3::select(still, moved.velocity, followed.velocity),
    }
}

/// The whole flock in double precision, by the settings' own weights: `moved` is where the law put the boids of `before`.
pub fn all(settings: &Settings, params: &StepParams, before: &BoidState, moved: Vec<Boid>) -> Vec<Boid> {
    if !settings.heeds() {
        return moved;
    }
    let leader = before.id.iter().position(|&id| id == params.leader).map(|place| before.position[place]);
    let one = |(i, boid): (usize, Boid)| {
        let weights = settings.movement_weights(before.id[i]);
        let lane = |weight: f32| Double(weight.into());
        let weights = V3::new(lane(weights.target), lane(weights.leader), lane(weights.current));
        follow(params, weights, leader, before.position[i].as_dvec3().into(), boid.into()).into()
    };
    moved.into_iter().enumerate().map(one).collect()
}
