//! Obstacles as text: `sphere:0,0,0,5`.

use super::Obstacle::{self, Box, Capsule, Plane, Sphere, Torus};
use glam::Vec3;
use std::fmt;

/// The forms of an obstacle as text.
pub const FORMS: &str = "sphere:X,Y,Z,RADIUS, box:X,Y,Z,WIDTH,HEIGHT,DEPTH, capsule:X,Y,Z,X,Y,Z,RADIUS, \
                         torus:X,Y,Z,AXIS,RING,TUBE or plane:X,Y,Z,NORMAL, where AXIS and NORMAL are directions of three numbers";

impl Obstacle {
    /// Reads one of the [`FORMS`]. Its numbers are not checked: see [`Settings::validate`](crate::flock::Settings::validate).
    pub fn parse(text: &str) -> Option<Obstacle> {
        let (name, numbers) = text.split_once(':')?;
        let numbers: Vec<f32> = numbers.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
        let v = Vec3::new;
        Some(match (name.trim(), &numbers[..]) {
            ("sphere", &[x, y, z, radius]) => Sphere { center: v(x, y, z), radius },
            ("box", &[x, y, z, a, b, c]) => Box { center: v(x, y, z), size: v(a, b, c) },
            ("capsule", &[x, y, z, a, b, c, radius]) => Capsule { from: v(x, y, z), to: v(a, b, c), radius },
            ("torus", &[x, y, z, a, b, c, ring, tube]) => Torus { center: v(x, y, z), axis: v(a, b, c), ring, tube },
            ("plane", &[x, y, z, a, b, c]) => Plane { point: v(x, y, z), normal: v(a, b, c) },
            _ => return None,
        })
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (places, lengths): (&[Vec3], &[f32]) = match self {
            Sphere { center, radius } => (&[*center], &[*radius]),
            Box { center, size } => (&[*center, *size], &[]),
            Capsule { from, to, radius } => (&[*from, *to], &[*radius]),
            Torus { center, axis, ring, tube } => (&[*center, *axis], &[*ring, *tube]),
            Plane { point, normal } => (&[*point, *normal], &[]),
        };
        let numbers = places.iter().flat_map(|place| place.to_array()).chain(lengths.iter().copied());
        write!(f, "{}:", self.name())?;
        numbers.enumerate().try_for_each(|(i, x)| write!(f, "{}{x}", if i == 0 { "" } else { "," }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "sphere:0,-2.5,0.1,5",
            "box:1,2,3,4,5,6",
            "capsule:0,0,0,1,1,1,0.25",
            "torus:0,0,0,0,1,0,5,1",
            "plane:0,-3,0,0,1,0",
        ] {
            assert_eq!(Obstacle::parse(text).map(|obstacle| obstacle.to_string()).as_deref(), Some(text));
        }
        for text in ["", "sphere", "sphere:", "sphere:1,2,3", "sphere:1,2,3,4,5", "ball:1,2,3,4", "box:a,b,c,1,1,1"] {
            assert_eq!(Obstacle::parse(text), None, "{text}");
        }
    }
}
