//! Obstacles: solid shapes that boids fly around and do not enter. `glsl/include/obstacles.glsl` has the motion near them.

mod text;

pub use text::FORMS;

use super::layout::PackedObstacle;
use super::settings::{LENGTHS, Settings};
use crate::error::{Error, Result};
use crate::limits::{MAX_OBSTACLES, OBSTACLE_BOX, OBSTACLE_CAPSULE, OBSTACLE_PLANE, OBSTACLE_SPHERE, OBSTACLE_TORUS};
use glam::{DVec3, Vec3};

/// A solid shape. Lengths are in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
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
}

use Obstacle::{Box, Capsule, Plane, Sphere, Torus};

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
        }
    }

    /// Its middle; for a plane the place on it.
    pub fn center(&self) -> Vec3 {
        match *self {
            Sphere { center, .. } | Box { center, .. } | Torus { center, .. } => center,
            Capsule { from, to, .. } => (from + to) * 0.5,
            Plane { point, .. } => point,
        }
    }

    /// The same shape, moved.
    #[must_use]
    pub fn moved(mut self, by: Vec3) -> Obstacle {
        match &mut self {
            Sphere { center, .. } | Box { center, .. } | Torus { center, .. } => *center += by,
            Capsule { from, to, .. } => (*from, *to) = (*from + by, *to + by),
            Plane { point, .. } => *point += by,
        }
        self
    }

    /// The signed distance from `place` to its surface, in world units: below zero inside. In double precision.
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
        }
    }

    /// The same shape in the plane `y`: each of its sections by that plane through its middle, endless along y.
    fn flat(mut self, y: f32) -> Obstacle {
        match &mut self {
            Sphere { center, .. } => center.y = y,
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

    fn packed(&self) -> PackedObstacle {
        let packed = |kind, position, extent: Vec3, radius| {
            // A little more, for its rounding.
            let bound = if kind == OBSTACLE_PLANE { f32::MAX } else { 1.00001 * (extent.length() + radius) };
            PackedObstacle { kind, position, extent, radius, bound }
        };
        match *self {
            Sphere { center, radius } => packed(OBSTACLE_SPHERE, center, Vec3::ZERO, radius),
            Box { center, size } => packed(OBSTACLE_BOX, center, size * 0.5, 0.0),
            Capsule { from, to, radius } => packed(OBSTACLE_CAPSULE, (from + to) * 0.5, (to - from) * 0.5, radius),
            Torus { center, axis, ring, tube } => packed(OBSTACLE_TORUS, center, unit(axis) * ring, tube),
            Plane { point, normal } => packed(OBSTACLE_PLANE, point, unit(normal), 0.0),
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
            _ => Ok(()),
        }
    }
}

/// The unit vector along `v`, whose square may underflow.
fn unit(v: Vec3) -> Vec3 {
    v.as_dvec3().normalize_or_zero().as_vec3()
}

impl Settings {
    /// The obstacles that boids meet: in a flat world, their sections.
    pub fn solid_obstacles(&self) -> impl Iterator<Item = Obstacle> {
        let y = self.plane.then_some(self.world.center.y);
        self.obstacles.iter().map(move |obstacle| y.map_or(*obstacle, |y| obstacle.flat(y)))
    }

    /// The signed distance from `place` to the nearest surface of an obstacle, in world units: below zero inside, infinite without
    /// obstacles.
    pub fn obstacle_distance_at(&self, place: Vec3) -> f64 {
        self.solid_obstacles().map(|obstacle| obstacle.distance(place.as_dvec3())).fold(f64::INFINITY, f64::min)
    }

    /// The obstacles, as kernels have them.
    ///
    /// # Panics
    /// When there are more than [`MAX_OBSTACLES`], which [`Settings::validate`] refuses.
    pub fn obstacles_met(&self) -> [PackedObstacle; MAX_OBSTACLES as usize] {
        let mut all = [PackedObstacle::default(); MAX_OBSTACLES as usize];
        all.iter_mut().zip(self.solid_obstacles()).for_each(|(place, obstacle)| *place = obstacle.packed());
        assert!(self.obstacles.len() <= all.len(), "settings that were checked");
        all
    }

    /// The least distance from an obstacle at which rounding cannot put a boid inside, in world units: some thirty times the
    /// rounding of the largest number in the description of one.
    pub(super) fn obstacle_gap(&self) -> f32 {
        let largest = |obstacle: Obstacle| {
            let PackedObstacle { position, extent, radius, .. } = obstacle.packed();
            let extent = if extent.y > LENGTHS.1 { extent.with_y(0.0) } else { extent };
            position.abs().max(extent.abs()).max_element().max(radius)
        };
        4e-6 * self.solid_obstacles().map(largest).fold(0.0, f32::max)
    }

    pub(super) fn check_obstacles(&self) -> Result<()> {
        if self.obstacles.len() > MAX_OBSTACLES as usize {
            let accepted = format!("up to {MAX_OBSTACLES}");
            return Err(Error::setting("obstacle", format!("{} obstacles", self.obstacles.len()), accepted));
        }
        self.obstacles.iter().try_for_each(|obstacle| obstacle.check(self.plane))
    }
}
