//! Twin of `transition.comp`: decides as it does, in the same correctly rounded operations in single precision, and
//! holds boids that perch. Only the nearest surface is found in double precision.

use super::cull::hash;
use super::steer::Boid;
use crate::flock::Settings;
use crate::flock::layout::StepParams;
use crate::flock::states::{Behavior, Constants};
use crate::flock::torus::way;
use crate::laws::lanes::Double;
use crate::laws::obstacles::{Solids, Surface, nearest_surface};
use crate::transitions::{
    LANDING_SPEED, LAUNCH_SPEED, LEAST, PERCH_HEIGHT, PERCH_REACH, PERCH_SPEED, STATE_PERCH, TRANSITIONS, TURN,
    WHEN_CLIMBING, WHEN_LANDABLE, WHEN_LEFT, WHEN_LEVEL, WHEN_RIGHT, WHEN_RISING, WHEN_SAFE, WHEN_SINKING,
    WHEN_STRAIGHT, WHEN_THREATENED, WHEN_TURNING, WHEN_UNSUPPORTED,
};
use glam::{DVec3, Vec3};

/// A thousandth, as the kernel has it.
const MILLI: f32 = 0.001;

/// Boid `id` in step number `params.step`: `before` it, and with the velocity slot `after` that `steer` left. Its state
/// afterwards, and the boid where it perches or leaves an obstacle.
pub fn transition(
    settings: &Settings,
    params: &StepParams,
    id: u32,
    behavior: Behavior,
    before: Boid,
    after: DVec3,
) -> (Behavior, Option<Boid>) {
    let constants = Constants::of(settings);
    let threatened = threatened(params, constants, before.position.as_vec3());
    let mut met = flight(params, before.velocity.as_vec3(), after.as_vec3())
        | if threatened { WHEN_THREATENED } else { WHEN_SAFE };
    let mut below = None;
    if constants.perches {
        let reach = f64::from(params.obstacle_distance * (PERCH_REACH as f32 * MILLI));
        let Surface { distance: Double(distance), normal } =
            nearest_surface(Solids::new(&params.obstacles, &settings.obstacles), before.position.into());
        let normal = DVec3::from(normal);
        let supported = (0.0..reach).contains(&distance) && normal.y > 0.5;
        below = supported.then_some((distance, normal));
        let slow = -before.velocity.dot(normal) < 0.5 * f64::from(constants.full(params));
        met |= if supported && normal.y > 0.8 && slow { WHEN_LANDABLE } else { 0 };
        met |= if supported { 0 } else { WHEN_UNSUPPORTED };
    }
    let now = params.step + 1;
    let next = drawn(constants, params, id, behavior, met);
    let changed = if next == behavior.state() { behavior } else { behavior.then(next, now) };
    let holds = constants.perches && [behavior.state(), next].contains(&STATE_PERCH);
    (changed, holds.then(|| held(constants, params, before, next, below)))
}

/// The state after this step, with the conditions `met`.
fn drawn(constants: Constants, params: &StepParams, id: u32, behavior: Behavior, met: u32) -> u32 {
    let (state, now) = (behavior.state(), params.step + 1);
    if !params.step.is_multiple_of(params.decision_steps) {
        return state;
    }
    let stayed = behavior.age(now) as f32 * params.time_step * 1000.0;
    if stayed < LEAST[state as usize] as f32 {
        return state;
    }
    let bits = hash(hash(constants.seed.wrapping_add(id)).wrapping_add(now));
    let applies = |(k, row): &(usize, &crate::transitions::Transition)| {
        let chance = row.rate as f32 * (params.time_step * params.decision_steps as f32 * 4_294_967.5);
        let drawn = hash(bits.wrapping_add(*k as u32)) < chance.min(4_294_967_040.0) as u32;
        row.from >> state & 1 != 0 && met & row.when == row.when && drawn
    };
    TRANSITIONS.iter().enumerate().find(applies).map_or(state, |(_, row)| row.to)
}

fn squared(v: Vec3) -> f32 {
    v.x * v.x + v.y * v.y + v.z * v.z
}

fn threatened(params: &StepParams, constants: Constants, position: Vec3) -> bool {
    let points = &params.points[..params.point_count as usize];
    let near = |place: Vec3, reach: f32| squared(way(params.torus(), place, position)) < reach * reach;
    points.iter().any(|point| point.strength < 0.0 && near(point.position, point.reach))
        || constants.cursor_repels && near(params.cursor, params.rules.cursor_distance)
}

/// The `WHEN_` bits of how a boid flies.
fn flight(params: &StepParams, before: Vec3, after: Vec3) -> u32 {
    let length_squared = squared(after);
    let up = after.y * after.y;
    let [climb, level, sink, rise] = [0.030154, 0.007596, 0.116978, 0.019369].map(|sine: f32| length_squared * sine);
    let turned = Vec3::new(
        before.y * after.z - before.z * after.y,
        before.z * after.x - before.x * after.z,
        before.x * after.y - before.y * after.x,
    );
    let sine = (TURN as f32 * MILLI * params.time_step).min(1.0);
    let most = sine * sine * (squared(before) * length_squared);
    let turn = squared(turned);
    let all = [
        (after.y > 0.0 && up > climb, WHEN_CLIMBING),
        (after.y <= 0.0 || up < level, WHEN_LEVEL),
        (after.y < 0.0 && up > sink, WHEN_SINKING),
        (after.y >= 0.0 || up < rise, WHEN_RISING),
        (turn > most, WHEN_TURNING),
        (turn <= most * 0.25, WHEN_STRAIGHT),
        (turned.y > 0.0, WHEN_LEFT),
        (turned.y <= 0.0, WHEN_RIGHT),
    ];
    all.iter().filter(|(met, _)| *met).fold(0, |bits, (_, bit)| bits | bit)
}

/// The boid where it perches or, in another state than that, leaves an obstacle. `below` is the surface that it can
/// stay on.
fn held(constants: Constants, params: &StepParams, before: Boid, next: u32, below: Option<(f64, DVec3)>) -> Boid {
    let share = |thousandths: u32| f64::from(thousandths) * 1e-3;
    let forward = before.velocity.with_y(0.0).normalize_or(DVec3::NEG_Z);
    let full = f64::from(constants.full(params));
    let of = |speed: u32| if constants.headings { 1.0 } else { full * share(speed) };
    if next != STATE_PERCH {
        let velocity = (forward + DVec3::Y).normalize() * of(LAUNCH_SPEED);
        return Boid { position: before.position, velocity };
    }
    let gap = f64::from(params.obstacle_gap);
    let height = share(PERCH_HEIGHT) * f64::from(params.rules.separation_radius) + 2.0 * gap;
    let speed = f64::from(if constants.headings { params.rules.move_speed } else { params.rules.max_speed });
    let most = speed * share(LANDING_SPEED) * f64::from(params.time_step);
    let down = below.filter(|(distance, _)| distance - height > gap);
    let down = down.map_or(DVec3::ZERO, |(distance, normal)| normal * (distance - height).min(most));
    Boid { position: before.position - down, velocity: forward * of(PERCH_SPEED) }
}
