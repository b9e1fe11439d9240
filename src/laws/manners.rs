//! How a boid turns and how slow it may be, under any law: the counterpart of `glsl/include/manners.glsl`, which has
//! the formulas.

use super::lanes::Lane;
use super::law::own_speed;
use super::motion::Influences;
use super::vectors::V3;
use crate::flock::layout::StepParams;
use crate::limits::{MANNER_ANGULAR, MANNER_TURN, MANNER_VECTORIAL};
use glam::Vec3;
use std::f32::consts::FRAC_PI_2;

/// Sine and cosine of so many turns, from -1/2 to 1/2.
#[inline(always)]
fn sine_cosine<L: Lane>(turns: L) -> [L; 2] {
    let x = turns * FRAC_PI_2;
    let xx = x * x;
    // The first terms of the series, from the last.
    let series = |factors: [f32; 4]| {
        let mut sum = xx.constant(factors[3]);
        for factor in [factors[2], factors[1], factors[0]] {
            sum = sum * xx + factor;
        }
        sum * xx + 1.0
    };
    let s = x * series([-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0, 1.0 / 362_880.0]);
    let c = series([-0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0]);
    let double = |[s, c]: [L; 2]| [s * c * 2.0, -(s * s * 2.0) + 1.0];
    double(double([s, c]))
}

fn is_flat(params: &StepParams) -> bool {
    params.world.half_size.y == 0.0
}

/// A unit vector across another; on a plane, in the plane.
#[inline(always)]
fn across<L: Lane>(params: &StepParams, n: V3<L>) -> V3<L> {
    let (zero, one) = (n.x.constant(0.0), n.x.constant(1.0));
    if is_flat(params) {
        return V3::new(-n.z, zero, n.x);
    }
    let side = L::select(n.z.lt(zero), -one, one);
    let a = -one / (side + n.z);
    V3::new(side * n.x * n.x * a + 1.0, side * n.x * n.y * a, -side * n.x)
}

/// Vectorial noise, or zero; in as many lanes as `like` has.
#[inline(always)]
pub fn vectorial_noise<L: Lane>(params: &StepParams, influences: &Influences<'_, L>, like: V3<L>) -> V3<L> {
    let (Some([up, around]), true) = (influences.drawn, params.manners.bits & MANNER_VECTORIAL != 0) else {
        return like.constant(Vec3::ZERO);
    };
    let [sine, cosine] = sine_cosine(around - 0.5);
    let one = up.constant(1.0);
    let unit = if is_flat(params) {
        V3::new(cosine, up.constant(0.0), sine)
    } else {
        let level = (up * (one - up)).sqrt() * 2.0;
        V3::new(level * cosine, one - up * 2.0, level * sine)
    };
    unit * params.manners.noise
}

/// The directions after a turn at random, given two drawn numbers.
#[inline(always)]
fn turned_at_random<L: Lane>(params: &StepParams, [fall, around]: [L; 2], direction: V3<L>) -> V3<L> {
    let side = across(params, direction);
    if is_flat(params) {
        let [sine, cosine] = sine_cosine((around - 0.5) * params.manners.noise_turns);
        return direction * cosine + side * sine;
    }
    let [sine, cosine] = sine_cosine(around - 0.5);
    let fall = fall * params.manners.noise_cap;
    let one = fall.constant(1.0);
    let aside = side * cosine + direction.cross(side) * sine;
    direction * (one - fall) + aside * (fall * (one + one - fall)).sqrt()
}

/// The directions after the step, given those before it and those that are wanted: with angular noise, and limited
/// turns.
#[cfg_attr(not(one_instruction_set), inline(always))]
pub fn directed<L: Lane>(params: &StepParams, influences: &Influences<'_, L>, before: V3<L>, wanted: V3<L>) -> V3<L> {
    let manners = &params.manners;
    let mut after = wanted;
    if let Some(drawn) = influences.drawn
        && manners.bits & MANNER_ANGULAR != 0
    {
        after = turned_at_random(params, drawn, after).direction();
    }
    if manners.bits & MANNER_TURN != 0 {
        let along = before.dot(after);
        let side = (after - before * along).direction();
        let side = V3::select(side.is_zero(), across(params, before), side);
        let limited = (before * manners.cos_turn + side * manners.sin_turn).direction();
        let turns = along.lt(along.constant(manners.cos_turn)) & !before.is_zero();
        after = V3::select(turns, limited, after);
    }
    after
}

/// The velocities after the step, given those before it and those that are wanted.
#[cfg_attr(not(one_instruction_set), inline(always))]
pub fn mannered<L: Lane>(params: &StepParams, influences: &Influences<'_, L>, before: V3<L>, wanted: V3<L>) -> V3<L> {
    if params.manners.bits == 0 {
        return wanted;
    }
    let speed = wanted.length_squared().sqrt();
    let old = before.direction();
    let direction = wanted.direction();
    let direction = V3::select(direction.is_zero(), old, direction);
    let noisy = (direction + vectorial_noise(params, influences, direction)).direction();
    let direction = V3::select(noisy.is_zero(), direction, noisy);
    let least_speed = own_speed(influences.speed, speed, params.manners.least_speed);
    directed(params, influences, old, direction) * speed.max(least_speed)
}
