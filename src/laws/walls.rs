//! What happens at the walls of the world, as in `glsl/include/walls.glsl`.

use super::lanes::Lane;
use super::vectors::{Boids, V3};
use crate::flock::Torus;
use crate::flock::layout::StepParams;
use crate::limits::{WALLS_BOUNCE, WALLS_PUSH, WALLS_WRAP};
use glam::Vec3;

/// The way from one place to another: the shortest where walls wrap, as in `glsl/include/torus.glsl`.
#[inline(always)]
pub fn way_to<L: Lane>(params: &StepParams, from: V3<L>, to: V3<L>) -> V3<L> {
    let Some(Torus { low, high }) = params.torus() else { return to - from };
    V3 {
        x: shortest(from.x, to.x, low.x, high.x),
        y: shortest(from.y, to.y, low.y, high.y),
        z: shortest(from.z, to.z, low.z, high.z),
    }
}

/// The shortest way along one axis.
#[inline(always)]
fn shortest<L: Lane>(from: L, to: L, low: f32, high: f32) -> L {
    let (low, high) = (from.constant(low), from.constant(high));
    let half = (high - low) * 0.5;
    let offset = to - from;
    let (up, down) = ((to - low) + (high - from), (high - to) + (from - low));
    L::select(half.lt(offset), -down, L::select(offset.lt(-half), up, offset))
}

/// The push of the walls: along each axis ±1 towards the inside if the position is outside, else 0.
#[inline(always)]
pub fn wall_push<L: Lane>(params: &StepParams, position: V3<L>) -> V3<L> {
    if params.walls != WALLS_PUSH {
        return position.constant(Vec3::ZERO);
    }
    // In single precision, like the kernel, so that both agree on which side of a wall a boid is.
    let d = (position.map(L::rounded) - params.world.center).map(L::rounded);
    let half_size = params.world.half_size;
    V3 { x: inwards(d.x, half_size.x), y: inwards(d.y, half_size.y), z: inwards(d.z, half_size.z) }
}

/// The direction inwards along one axis, at `d` from the center.
#[inline(always)]
fn inwards<L: Lane>(d: L, half_size: f32) -> L {
    let (one, half_size) = (d.constant(1.0), d.constant(half_size));
    one.only(d.lt(-half_size)) - one.only(half_size.lt(d))
}

/// The boids after a move by `way`.
#[inline(always)]
pub fn meet_walls<L: Lane>(params: &StepParams, boids: Boids<L>, way: V3<L>) -> Boids<L> {
    let Boids { mut position, mut velocity } = boids;
    let (center, Torus { low, high }) = (params.world.center, Torus::of(&params.world));
    let axes = [
        (&mut position.x, way.x, &mut velocity.x, low.x, high.x, center.x),
        (&mut position.y, way.y, &mut velocity.y, low.y, high.y, center.y),
        (&mut position.z, way.z, &mut velocity.z, low.z, high.z, center.z),
    ];
    for (x, dx, v, low, high, center) in axes {
        match params.walls {
            WALLS_BOUNCE => bounce(x, dx, v, low, high),
            WALLS_WRAP => *x = wrapped(*x + dx, low, high),
            _ => {
                *x = *x + dx;
                continue;
            }
        }
        // NaN does not equal itself.
        *x = L::select((*x).le(*x), *x, x.constant(center));
    }
    Boids { position, velocity }
}

/// Where x + dx is outside, the velocity turns inwards and the step is taken again from x.
#[inline(always)]
fn bounce<L: Lane>(x: &mut L, dx: L, v: &mut L, low: f32, high: f32) {
    let next = *x + dx;
    let (above, below) = (next.constant(high).lt(next), next.lt(next.constant(low)));
    let (down, up) = ((*x - dx.abs()).clamp(low, high), (*x + dx.abs()).clamp(low, high));
    *x = L::select(above, down, L::select(below, up, next));
    *v = L::select(above, -v.abs(), L::select(below, v.abs(), *v));
}

/// Reenters at the opposite wall, as far inside as it was outside.
#[inline(always)]
fn wrapped<L: Lane>(x: L, low: f32, high: f32) -> L {
    let size = x.constant(high) - low;
    let boxes = (x - low) / size;
    let inside = ((boxes - boxes.floor()) * size + low).clamp(low, high);
    L::select(x.at_least(low) & x.le(x.constant(high)), x, inside)
}
