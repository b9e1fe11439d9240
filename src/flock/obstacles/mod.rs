//! Obstacles: solid shapes that boids fly around and do not enter. `glsl/include/obstacles.glsl` has the motion near
//! them.

pub mod baking;
mod meshes;
mod text;

pub use meshes::MAX_MODELS;
pub use text::{FORMS, list};

use super::layout::PackedObstacle;
use super::paths::from_start;
use super::settings::{LENGTHS, Settings};
use crate::error::{Error, Result};
use crate::limits::{
    MAX_OBSTACLES, OBSTACLE_BOX, OBSTACLE_CAPSULE, OBSTACLE_MESH, OBSTACLE_PLANE, OBSTACLE_SECTION, OBSTACLE_SPHERE,
    OBSTACLE_TORUS,
};
use crate::mesh::Model;
use glam::{DVec3, Vec3};
use std::borrow::Cow;

/// A solid shape. Lengths are in world units.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// All places within `radius` of its center.
    Sphere {
        /// Its center.
        center: Vec3,
        /// Its radius.
        radius: f32,
    },
    /// A box along the axes.
    Box {
        /// Its center.
        center: Vec3,
        /// Its edges.
        size: Vec3,
    },
    /// All places within `radius` of a segment.
    Capsule {
        /// One end of the segment.
        from: Vec3,
        /// The other end.
        to: Vec3,
        /// Its radius.
        radius: f32,
    },
    /// All places within `tube` of a circle.
    Torus {
        /// The center of the circle.
        center: Vec3,
        /// The direction of its axis; not zero.
        axis: Vec3,
        /// The radius of the circle.
        ring: f32,
        /// The radius of the tube around it.
        tube: f32,
    },
    /// All places behind a plane.
    Plane {
        /// A place on it.
        point: Vec3,
        /// A direction out of it; not zero.
        normal: Vec3,
    },
    /// A triangle mesh, which has an inside if it is closed.
    Mesh {
        /// The middle of the box around it.
        center: Vec3,
        /// The largest edge of that box.
        size: f32,
        /// By how much it is turned about y, in degrees: what was at +z comes towards +x.
        turn: f32,
        /// What it looks like.
        model: Model,
    },
}

use Obstacle::{Box, Capsule, Mesh, Plane, Sphere, Torus};

/// A length beyond every world, along which a shape in a flat world does not end.
const ENDLESS: f32 = 8e6;

impl Obstacle {
    /// The name of its shape.
    pub fn name(&self) -> &'static str {
        match self {
            Sphere { .. } => "sphere",
            Box { .. } => "box",
            Capsule { .. } => "capsule",
            Torus { .. } => "torus",
            Plane { .. } => "plane",
            Mesh { .. } => "mesh",
        }
    }

    /// Whether it is a mesh.
    pub fn is_mesh(&self) -> bool {
        matches!(self, Mesh { .. })
    }

    /// Its middle; for a plane the place on it.
    pub fn center(&self) -> Vec3 {
        match *self {
            Sphere { center, .. } | Box { center, .. } | Torus { center, .. } | Mesh { center, .. } => center,
            Capsule { from, to, .. } => (from + to) * 0.5,
            Plane { point, .. } => point,
        }
    }

    /// The same shape, moved.
    #[must_use]
    pub fn moved(mut self, by: Vec3) -> Obstacle {
        match &mut self {
            Sphere { center, .. } | Box { center, .. } | Torus { center, .. } | Mesh { center, .. } => *center += by,
            Capsule { from, to, .. } => (*from, *to) = (*from + by, *to + by),
            Plane { point, .. } => *point += by,
        }
        self
    }

    /// The signed distance from `place` to its surface, in world units: below zero inside. In double precision. That of
    /// a mesh is as kernels find it: never too large, and too small by at most twice the error of its volume there
    /// ([`Volume::distance`](crate::mesh::Volume::distance)).
    ///
    /// # Panics
    /// When it is a mesh that was not read.
    pub fn distance(&self, place: DVec3) -> f64 {
        match *self {
            Sphere { center, radius } => place.distance(center.as_dvec3()) - f64::from(radius),
            Box { center, size } => {
                let beyond = (place - center.as_dvec3()).abs() - size.as_dvec3() * 0.5;
                beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
            }
            Capsule { from, to, radius } => {
                let (from, way) = (from.as_dvec3(), (to - from).as_dvec3());
                let share = (place - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE);
                place.distance(from + way * share.clamp(0.0, 1.0)) - f64::from(radius)
            }
            Torus { center, axis, ring, tube } => {
                let (offset, axis) = (place - center.as_dvec3(), axis.as_dvec3().normalize());
                let height = offset.dot(axis);
                let off_axis = (offset.length_squared() - height * height).max(0.0).sqrt();
                (off_axis - f64::from(ring)).hypot(height) - f64::from(tube)
            }
            Plane { point, normal } => (place - point.as_dvec3()).dot(normal.as_dvec3().normalize()),
            Mesh { center, size, turn, ref model } => {
                let ([cos, sin], size) = (turned(turn).map(f64::from), f64::from(size));
                let offset = (place - center.as_dvec3()) / size;
                let own = DVec3::new(cos * offset.x - sin * offset.z, offset.y, sin * offset.x + cos * offset.z);
                size * model.distance(own)
            }
        }
    }

    /// The same shape in the plane `y`: each of its sections by that plane through its middle, endless along y.
    fn flat(mut self, y: f32) -> Obstacle {
        match &mut self {
            Sphere { center, .. } | Mesh { center, .. } => center.y = y,
            Box { center, size } => (center.y, size.y) = (y, ENDLESS),
            Capsule { from, to, .. } => (from.y, to.y) = (y, y),
            Torus { center, axis, .. } => {
                center.y = y;
                *axis = if axis.y.abs() > axis.x.hypot(axis.z) { Vec3::Y } else { axis.with_y(0.0) };
            }
            Plane { point, normal } => (point.y, normal.y) = (y, 0.0),
        }
        self
    }

    /// As kernels have it, in a flat world or not; of a mesh without the place of its volume.
    fn packed(&self, flat: bool) -> PackedObstacle {
        let packed = |kind, position, extent: Vec3, radius| {
            // A little more, for its rounding.
            let bound = if kind == OBSTACLE_PLANE { f32::MAX } else { 1.00001 * (extent.length() + radius) };
            PackedObstacle { kind, position, extent, radius, bound, volume: 0 }
        };
        match *self {
            Sphere { center, radius } => packed(OBSTACLE_SPHERE, center, Vec3::ZERO, radius),
            Box { center, size } => packed(OBSTACLE_BOX, center, size * 0.5, 0.0),
            Capsule { from, to, radius } => packed(OBSTACLE_CAPSULE, (from + to) * 0.5, (to - from) * 0.5, radius),
            Torus { center, axis, ring, tube } => packed(OBSTACLE_TORUS, center, unit(axis) * ring, tube),
            Plane { point, normal } => packed(OBSTACLE_PLANE, point, unit(normal), 0.0),
            Mesh { center, size, turn, ref model } => {
                let ([cos, sin], kind) = (turned(turn), if flat { OBSTACLE_SECTION } else { OBSTACLE_MESH });
                let (radius, bound) = (model.lattice().error() as f32 * size, 1.00001 * model.radius() as f32 * size);
                PackedObstacle { bound, ..packed(kind, center, Vec3::new(cos, sin, size), radius) }
            }
        }
    }

    /// Fails unless its numbers are in range.
    fn check(&self, plane: bool) -> Result<()> {
        let refuse = |what: &str, value: String, accepted: &str| {
            Err(Error::setting(&format!("obstacle ({} of a {})", what, self.name()), value, accepted))
        };
        let (places, lengths): (&[Vec3], &[(&str, f32)]) = match self {
            Sphere { center, radius } => (&[*center], &[("radius", *radius)]),
            Box { center, size } => (&[*center], &[("edge", size.x), ("edge", size.y), ("edge", size.z)]),
            Capsule { from, to, radius } => (&[*from, *to], &[("radius", *radius)]),
            Torus { center, axis, ring, tube } => {
                (&[*center, *axis], &[("radius of the ring", *ring), ("radius of the tube", *tube)])
            }
            Plane { point, normal } => (&[*point, *normal], &[]),
            Mesh { center, size, .. } => (&[*center], &[("largest edge", *size)]),
        };
        if let Some(place) =
            places.iter().flat_map(|place| place.to_array()).find(|x| !(-LENGTHS.1..=LENGTHS.1).contains(x))
        {
            return refuse("a place", place.to_string(), &format!("a number from {} to {}", -LENGTHS.1, LENGTHS.1));
        }
        let (least, most) = LENGTHS;
        if let Some((what, length)) = lengths.iter().find(|(_, length)| !(least..=most).contains(length)) {
            return refuse(what, length.to_string(), &format!("a number from {least} to {most}, in world units"));
        }
        match *self {
            Torus { axis, .. } if axis == Vec3::ZERO => refuse("axis", "0,0,0".into(), "a direction that is not zero"),
            Plane { normal, .. } if normal == Vec3::ZERO => {
                refuse("normal", "0,0,0".into(), "a direction that is not zero")
            }
            Plane { normal, .. } if plane && normal.with_y(0.0) == Vec3::ZERO => {
                refuse("normal", format!("0,{},0", normal.y), "on a plane: a direction along it")
            }
            Mesh { ref model, .. } if list(&self.to_string()).len() > 1 || model.file().contains(char::is_control) => {
                refuse(
                    "file",
                    model.file().escape_debug().to_string(),
                    "a name that does not end this obstacle in a list of them",
                )
            }
            Mesh { turn, .. } if !(-360.0..=360.0).contains(&turn) => {
                refuse("turn", turn.to_string(), "a number from -360 to 360, in degrees")
            }
            _ => Ok(()),
        }
    }
}

/// Cosine and sine of an angle in degrees.
fn turned(degrees: f32) -> [f32; 2] {
    let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
    [cos as f32, sin as f32]
}

/// The unit vector along `v`, whose square may underflow.
fn unit(v: Vec3) -> Vec3 {
    v.as_dvec3().normalize_or_zero().as_vec3()
}

impl Settings {
    /// Takes away the obstacle of number `at`, and its path.
    ///
    /// # Panics
    /// When there is none.
    pub fn remove_obstacle(&mut self, at: usize) -> Obstacle {
        if at < self.paths.obstacles.len() {
            self.paths.obstacles.remove(at);
        }
        self.obstacles.remove(at)
    }

    /// The obstacles where they are in step number `step`.
    pub fn obstacles_at(&self, step: u32) -> impl Iterator<Item = Cow<'_, Obstacle>> {
        let seconds = self.seconds_at(step);
        let here = move |(at, obstacle)| {
            let start = Obstacle::center(obstacle);
            let way = from_start(start, &self.paths.obstacles, at, seconds) - start;
            match way == Vec3::ZERO {
                true => Cow::Borrowed(obstacle),
                false => Cow::Owned(Obstacle::clone(obstacle).moved(way)),
            }
        };
        self.obstacles.iter().enumerate().map(here)
    }

    /// The obstacles that boids meet in step number `step`; in a flat world, their sections.
    pub fn solid_obstacles(&self, step: u32) -> impl Iterator<Item = Cow<'_, Obstacle>> {
        let y = self.plane.then_some(self.world.center.y);
        self.obstacles_at(step).map(move |obstacle| match y {
            Some(y) => Cow::Owned(obstacle.into_owned().flat(y)),
            None => obstacle,
        })
    }

    /// The signed distance from `place` to the nearest surface of an obstacle at the start, in world units: below zero
    /// inside, infinite without obstacles.
    pub fn obstacle_distance_at(&self, place: Vec3) -> f64 {
        self.solid_obstacles(0).map(|obstacle| obstacle.distance(place.as_dvec3())).fold(f64::INFINITY, f64::min)
    }

    /// The obstacles in step number `step`, as kernels have them.
    ///
    /// # Panics
    /// When there are more than [`MAX_OBSTACLES`], or a mesh that was not read, which [`Settings::validate`] refuses.
    pub fn obstacles_met(&self, step: u32) -> [PackedObstacle; MAX_OBSTACLES as usize] {
        let mut all = [PackedObstacle::default(); MAX_OBSTACLES as usize];
        for (place, obstacle) in all.iter_mut().zip(self.solid_obstacles(step)) {
            *place = obstacle.packed(self.plane);
            if let Mesh { model, .. } = &*obstacle {
                place.volume = self.place_of_volume(model);
            }
        }
        assert!(self.obstacles.len() <= all.len(), "settings that were checked");
        all
    }

    /// The same for pictures: meshes as large as they are, without what makes their distances safe.
    ///
    /// # Panics
    /// As [`Settings::obstacles_met`].
    pub fn obstacles_shown(&self, step: u32) -> [PackedObstacle; MAX_OBSTACLES as usize] {
        let mut all = self.obstacles_met(step);
        all.iter_mut().filter(|obstacle| obstacle.kind >= OBSTACLE_MESH).for_each(|mesh| mesh.radius = 0.0);
        all
    }

    /// The least distance from an obstacle at which rounding cannot put a boid inside, in world units: some thirty
    /// times the rounding of the largest number in the description of one.
    pub(super) fn obstacle_gap(&self, step: u32) -> f32 {
        let largest = |obstacle: Cow<'_, Obstacle>| {
            let PackedObstacle { kind, position, mut extent, radius, .. } = obstacle.packed(self.plane);
            if kind >= OBSTACLE_MESH {
                extent = Vec3::splat(extent.z);
            }
            let extent = if extent.y > LENGTHS.1 { extent.with_y(0.0) } else { extent };
            position.abs().max(extent.abs()).max_element().max(radius)
        };
        4e-6 * self.solid_obstacles(step).map(largest).fold(0.0, f32::max)
    }

    pub(super) fn check_obstacles(&self) -> Result<()> {
        if self.obstacles.len() > MAX_OBSTACLES as usize {
            let accepted = format!("up to {MAX_OBSTACLES}");
            return Err(Error::setting("obstacle", format!("{} obstacles", self.obstacles.len()), accepted));
        }
        self.obstacles.iter().try_for_each(|obstacle| obstacle.check(self.plane))?;
        self.check_models()
    }
}
