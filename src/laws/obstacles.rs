//! Obstacles, which boids steer around and do not enter: the counterpart of `glsl/include/obstacles.glsl`, which has
//! the reasons.

use super::lanes::Lane;
use super::mesh_surface::mesh_surface;
use super::steering::steer_along;
use super::vectors::{Boids, V3};
use crate::flock::layout::{PackedObstacle, StepParams};
use crate::flock::obstacles::Obstacle;
use crate::limits::{
    OBSTACLE_BOX, OBSTACLE_CAPSULE, OBSTACLE_LOOKS, OBSTACLE_PARTS, OBSTACLE_PLANE, OBSTACLE_PUSHES, OBSTACLE_TORUS,
    WALLS_WRAP,
};
use crate::mesh::Model;
use glam::Vec3;

/// The nearest surface of an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Surface<L> {
    /// World units, below zero inside.
    pub distance: L,
    /// Unit, out of the nearest place of it.
    pub normal: V3<L>,
}

impl<L: Lane> Surface<L> {
    #[inline(always)]
    fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Surface {
            distance: L::select(mask, yes.distance, no.distance),
            normal: V3::select(mask, yes.normal, no.normal),
        }
    }
}

/// Obstacles: as kernels have them, and with their models.
#[derive(Clone, Copy, Debug)]
pub struct Solids<'a> {
    /// As kernels have them.
    pub packed: &'a [PackedObstacle],
    /// The same ones, in the same order.
    pub obstacles: &'a [Obstacle],
}

impl<'a> Solids<'a> {
    /// Those that `packed` begins with, one for each of `obstacles`.
    pub fn new(packed: &'a [PackedObstacle], obstacles: &'a [Obstacle]) -> Solids<'a> {
        Solids { packed: &packed[..obstacles.len()], obstacles }
    }
}

/// The vector, or `other` where it is zero.
#[inline(always)]
pub fn or<L: Lane>(v: V3<L>, other: Vec3) -> V3<L> {
    V3::select(v.is_zero(), v.constant(other), v)
}

#[inline(always)]
fn surface_of<L: Lane>(obstacle: &PackedObstacle, model: Option<&Model>, position: V3<L>) -> Surface<L> {
    let mut offset = position - obstacle.position;
    if let Some(model) = model {
        return mesh_surface(obstacle, model.volume(), offset);
    }
    let extent = position.constant(obstacle.extent);
    let (one, zero) = (offset.x.constant(1.0), offset.x.constant(0.0));
    let mut inside = None;
    match obstacle.kind {
        OBSTACLE_PLANE => return Surface { distance: offset.dot(extent), normal: extent },
        OBSTACLE_BOX => {
            let beyond = offset.map(L::abs) - extent;
            let deepest = beyond.x.max(beyond.y).max(beyond.z);
            let side = offset.map(|x| L::select(x.lt(zero), -one, one));
            let (is_x, is_z) = (deepest.le(beyond.x), deepest.le(beyond.z));
            let along_z = V3::select(is_z, offset.constant(Vec3::Z), offset.constant(Vec3::Y));
            let face = V3::select(is_x, offset.constant(Vec3::X), along_z);
            let normal = V3::new(face.x * side.x, face.y * side.y, face.z * side.z);
            inside = Some((deepest.le(zero), Surface { distance: deepest - obstacle.radius, normal }));
            let out = beyond.map(|x| x.max(zero));
            offset = V3::new(out.x * side.x, out.y * side.y, out.z * side.z);
        }
        OBSTACLE_CAPSULE => {
            let squared = obstacle.extent.length_squared().max(f32::MIN_POSITIVE);
            offset = offset - extent * (offset.dot(extent) / squared).clamp(-1.0, 1.0);
        }
        OBSTACLE_TORUS => {
            let radius = obstacle.extent.length();
            let axis = obstacle.extent / radius;
            let outwards = (offset - offset.constant(axis) * offset.dot(offset.constant(axis))).direction();
            let across = axis.cross(if axis.x.abs() < 0.9 { Vec3::X } else { Vec3::Z }).normalize();
            offset = offset - or(outwards, across) * radius;
        }
        _ => {}
    }
    let normal = or(offset.direction(), Vec3::X);
    let outside = Surface { distance: offset.length_squared().sqrt() - obstacle.radius, normal };
    inside.map_or(outside, |(mask, inside)| Surface::select(mask, inside, outside))
}

/// The nearest surface of any of `obstacles`, of which there is at least one.
#[inline(always)]
pub fn nearest_surface<L: Lane>(solids: Solids<'_>, position: V3<L>) -> Surface<L> {
    let mut nearest = Surface { distance: position.x.constant(f32::MAX), normal: position.constant(Vec3::X) };
    for (packed, obstacle) in solids.packed.iter().zip(solids.obstacles) {
        let model = if let Obstacle::Mesh { model, .. } = obstacle { Some(model) } else { None };
        let other = surface_of(packed, model, position);
        nearest = Surface::select(other.distance.lt(nearest.distance), other, nearest);
    }
    nearest
}

/// The acceleration along and away from the surface that lies ahead within sight; the nearer, the stronger.
#[inline(never)]
pub fn avoid_obstacles<L: Lane>(
    params: &StepParams,
    obstacles: &[Obstacle],
    position: V3<L>,
    velocity: V3<L>,
    full_speed: L,
) -> V3<L> {
    position.x.apart(
        #[inline(always)]
        || avoid(params, Solids::new(&params.obstacles, obstacles), position, velocity, full_speed),
    )
}

#[inline(always)]
fn avoid<L: Lane>(params: &StepParams, solids: Solids<'_>, position: V3<L>, velocity: V3<L>, full_speed: L) -> V3<L> {
    let (forward, sight) = (velocity.direction(), params.obstacle_distance);
    let zero = position.x.constant(0.0);
    let (mut free, mut normal) = (zero, forward);
    for _ in 0..=OBSTACLE_LOOKS {
        let ahead = nearest_surface(solids, position + forward * free);
        (free, normal) = (free + ahead.distance.max(zero), ahead.normal);
        if !L::any(free.lt(zero.constant(sight))) {
            return position.constant(Vec3::ZERO);
        }
    }
    let urgency = (zero.constant(1.0) - free / sight).max(zero);
    let along = forward - normal * forward.dot(normal).min(zero);
    steer_along(&params.rules, along + normal * urgency, velocity, full_speed) * (urgency * params.obstacle_weight)
}

/// The boids that were at `from` and are now `after`, where the walls have put them; `way` is the way that each took.
#[inline(never)]
pub fn meet_obstacles<L: Lane>(
    params: &StepParams,
    obstacles: &[Obstacle],
    from: V3<L>,
    way: V3<L>,
    after: Boids<L>,
) -> Boids<L> {
    from.x.apart(
        #[inline(always)]
        || meet(params, Solids::new(&params.obstacles, obstacles), from, way, after),
    )
}

#[inline(always)]
fn meet<L: Lane>(params: &StepParams, solids: Solids<'_>, from: V3<L>, way: V3<L>, after: Boids<L>) -> Boids<L> {
    let path = after.position - from;
    let zero = path.x.constant(0.0);
    let never = zero.lt(zero);
    let jumps = if params.walls == WALLS_WRAP {
        let (off, half_size) = (path - way, params.world.half_size);
        let beyond = |x: L, half: f32| x.constant(half).lt(x.abs());
        beyond(off.x, half_size.x) | beyond(off.y, half_size.y) | beyond(off.z, half_size.z)
    } else {
        never
    };
    let start = V3::select(jumps, after.position, from);
    let most = L::select(jumps, zero, path.length_squared().sqrt());
    // The least gap to a surface that rounding cannot cross.
    let least_gap = |position: V3<L>| (position.largest() * 4e-6).max(zero.constant(params.obstacle_gap));
    let gap = (most / OBSTACLE_PARTS as f32).max(least_gap(start));
    let forward = path.direction();
    let (mut gone, mut is_near, mut was_inside) = (zero, never, never);
    let mut near = Surface { distance: zero, normal: forward };
    for part in 0..=OBSTACLE_PARTS {
        near = nearest_surface(solids, start + forward * gone);
        if part == 0 {
            is_near = !(most + gap * 2.0).lt(near.distance);
            was_inside = near.distance.lt(least_gap(start) * -0.5) & !jumps;
            if !L::any(is_near) {
                return after;
            }
        }
        if part < OBSTACLE_PARTS {
            gone = (gone + (near.distance - gap).max(zero)).min(most);
        }
    }
    let stopped = V3::select(gone.lt(most), start + forward * gone, after.position);
    let mut met = Boids { position: stopped, velocity: after.velocity };
    for _ in 0..OBSTACLE_PUSHES {
        let is_close = near.distance.lt(gap * 2.0);
        let towards = met.velocity.dot(near.normal).min(zero);
        met.velocity.add_where(is_close, -near.normal * towards);
        let aside = met.position + near.normal * (gap * 2.0 - near.distance);
        let there = nearest_surface(solids, aside);
        let better = is_close & near.distance.lt(there.distance);
        met.position = V3::select(better, aside, met.position);
        near = Surface::select(better, there, near);
    }
    let back = near.distance.lt(least_gap(met.position) * 0.5) & !was_inside;
    let position = V3::select(back, from, met.position);
    let velocity = V3::select(back, -after.velocity, met.velocity);
    Boids {
        position: V3::select(is_near, position, after.position),
        velocity: V3::select(is_near, velocity, after.velocity),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::Settings;
    use crate::flock::obstacles::Obstacle;
    use crate::flock::random::{Stream, in_cube};
    use crate::laws::lanes::Double;
    use glam::DVec3;

    /// Distances are those of `Obstacle::distance`, and normals their slopes.
    #[test]
    fn surfaces_have_their_distances_and_normals() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        for text in [
            "sphere:1,2,3,2",
            "box:0,1,-1,2,3,5",
            "capsule:-1,0,0,2,1,3,0.7",
            "torus:0,0.5,0,1,2,-1,3,0.8",
            "plane:0,-1,0,1,3,-2",
        ] {
            let obstacle = Obstacle::parse(text).expect("an obstacle");
            settings.obstacles = vec![obstacle.clone()];
            let packed = settings.obstacles_met(0);
            let solids = Solids::new(&packed, &settings.obstacles);
            for i in 0..2_000 {
                let place = in_cube(7, Stream::Position, i, 0).as_dvec3() * 6.0;
                let surface = nearest_surface(solids, V3::<Double>::from(place));
                let (distance, normal) = (surface.distance.0, DVec3::from(surface.normal));
                assert!((distance - obstacle.distance(place)).abs() < 1e-5, "{text}: {distance} at {place}");
                assert!((normal.length() - 1.0).abs() < 1e-6, "{text}: {normal}");
                let climb = 1e-4;
                let slope = (obstacle.distance(place + normal * climb) - obstacle.distance(place)) / climb;
                assert!((slope - 1.0).abs() < 1e-2, "{text}: the slope along {normal} is {slope} at {place}");
            }
        }
    }
}
