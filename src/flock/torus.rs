//! A world whose opposite walls are one place: [`Walls::Wrap`].
//!
//! Two boids see each other by the nearest image, through a wall where that way is shorter. Along each axis the world
//! is at least twice as long as the search radius ([`Settings::validate`] refuses others), so only one image of a boid
//! can be that near.
//!
//! # Rounding
//! The walls are two single-precision numbers, `low` and `high`, and their distance is the period. The way from `a`
//! through the upper wall to `b` is `(b - low) + (high - a)`: both terms are above zero, so each operation is off by at
//! most half a unit in the last place of the way itself. Adding the period to `b - a` would lose as many bits as the
//! world is longer than the way.

use super::layout::{StepParams, World};
use super::settings::Settings;
use super::walls::Walls;
use crate::limits::WALLS_WRAP;
use glam::{DVec3, Vec3};

/// The walls of such a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// The lower ones, in world units.
    pub low: Vec3,
    /// The upper ones, in world units.
    pub high: Vec3,
}

impl Torus {
    /// That of a world whose walls wrap.
    pub fn of(world: &World) -> Torus {
        Torus { low: world.center - world.half_size, high: world.center + world.half_size }
    }

    /// Its length along each axis, in world units.
    pub fn period(&self) -> DVec3 {
        self.high.as_dvec3() - self.low.as_dvec3()
    }

    /// The shortest way from `from` to `to`, both in the world, in single precision. Twin of `way_to` in
    /// `glsl/include/torus.glsl`: the same bits.
    pub fn way(&self, from: Vec3, to: Vec3) -> Vec3 {
        let half = (self.high - self.low) * 0.5;
        let offset = to - from;
        let up = (to - self.low) + (self.high - from);
        let down = (self.high - to) + (from - self.low);
        Vec3::select(offset.cmpgt(half), -down, Vec3::select(offset.cmplt(-half), up, offset))
    }

    /// A place in the world that is the same as `place`.
    pub fn place(&self, place: Vec3) -> Vec3 {
        let wrapped = |x: f32, low: f32, high: f32| {
            let boxes = (x - low) / (high - low);
            let inside = (low + (boxes - boxes.floor()) * (high - low)).clamp(low, high);
            if x >= low && x <= high { x } else { inside }
        };
        let axis = |k: usize| wrapped(place[k], self.low[k], self.high[k]);
        Vec3::new(axis(0), axis(1), axis(2))
    }
}

impl StepParams {
    /// The torus that the world is, if its walls wrap.
    pub fn torus(&self) -> Option<Torus> {
        (self.walls == WALLS_WRAP).then(|| Torus::of(&self.world))
    }
}

impl Settings {
    /// The torus that the world is, if its walls wrap.
    pub fn torus(&self) -> Option<Torus> {
        (self.walls == Walls::Wrap).then(|| Torus::of(&self.world))
    }
}

/// The way from `from` to `to`: the shortest on a torus.
pub fn way(torus: Option<Torus>, from: Vec3, to: Vec3) -> Vec3 {
    torus.map_or(to - from, |torus| torus.way(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::random::{Stream, in_cube};

    /// Against all 27 images in double precision.
    #[test]
    fn the_way_leads_to_the_nearest_image() {
        for (center, half_size) in [
            (Vec3::ZERO, Vec3::new(64.0, 10.0, 3.0)),
            (Vec3::new(5.0, -3.0, 1000.1), Vec3::new(1.0, 30.3, 7.7)),
            (Vec3::new(64.0, 1.0, 2.0), Vec3::new(64.0, 1.0, 2.0)),
        ] {
            let torus = Torus::of(&World { center, half_size });
            let at = |i: u64| center + half_size * in_cube(3, Stream::Position, i, 0);
            for i in 0..20_000 {
                let (a, b) = (at(2 * i), at(2 * i + 1));
                let way = torus.way(a, b).as_dvec3();
                let images = (0..27).map(|k| {
                    let steps = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
                    b.as_dvec3() + steps * torus.period() - a.as_dvec3()
                });
                let nearest =
                    images.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).expect("27 images");
                for axis in 0..3 {
                    let (got, want) = (way[axis], nearest[axis]);
                    // Two images may be equally near.
                    let tie = want.abs() + got.abs() > torus.period()[axis] * (1.0 - 1e-6);
                    let off = (got - want).abs();
                    assert!(tie || off <= f64::from(f32::EPSILON) * want.abs(), "{a} to {b}: {way}, not {nearest}");
                }
            }
        }
    }

    #[test]
    fn a_place_outside_is_put_inside() {
        let torus = Torus { low: Vec3::new(-1.0, 0.0, 3.0), high: Vec3::new(1.0, 0.0, 7.0) };
        for (place, inside) in [
            (Vec3::new(0.5, 0.0, 3.0), Vec3::new(0.5, 0.0, 3.0)),
            (Vec3::new(1.5, 0.0, 2.0), Vec3::new(-0.5, 0.0, 6.0)),
            (Vec3::new(-7.5, 0.0, 8.0), Vec3::new(0.5, 0.0, 4.0)),
        ] {
            assert_eq!(torus.place(place), inside);
        }
    }
}
