//! How far a place is from the planes around a vertex, by Garland and Heckbert.

use glam::{DVec3, Vec3};
use std::collections::HashMap;
use std::ops::{Add, AddAssign};

/// The sum over planes, each with a weight, of the squared distance to it: xᵀAx + 2bᵀx + c with a symmetric A.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quadric {
    /// xx, yy, zz.
    diagonal: DVec3,
    /// yz, xz, xy.
    others: DVec3,
    linear: DVec3,
    constant: f64,
}

impl Quadric {
    /// The plane through `place` with this unit normal.
    fn plane(normal: DVec3, place: DVec3, weight: f64) -> Quadric {
        let [x, y, z] = normal.to_array();
        let away = -normal.dot(place);
        Quadric {
            diagonal: weight * normal * normal,
            others: weight * DVec3::new(y * z, x * z, x * y),
            linear: weight * away * normal,
            constant: weight * away * away,
        }
    }

    /// Its value at `place`.
    pub fn at(&self, place: DVec3) -> f64 {
        let [x, y, z] = place.to_array();
        let mixed = DVec3::new(y * z, x * z, x * y);
        self.diagonal.dot(place * place) + 2.0 * (self.others.dot(mixed) + self.linear.dot(place)) + self.constant
    }
}

impl AddAssign for Quadric {
    fn add_assign(&mut self, other: Quadric) {
        self.diagonal += other.diagonal;
        self.others += other.others;
        self.linear += other.linear;
        self.constant += other.constant;
    }
}

impl Add for Quadric {
    type Output = Quadric;

    fn add(mut self, other: Quadric) -> Quadric {
        self += other;
        self
    }
}

/// For each vertex, the planes of its triangles by their areas, and of those of its edges that have one triangle only,
/// a plane upright on that: so that borders stay.
pub fn quadrics(places: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Quadric> {
    let mut quadrics = vec![Quadric::default(); places.len()];
    let at = |corner: u32| places[corner as usize].as_dvec3();
    let ends = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    let mut used = HashMap::<[u32; 2], u32>::new();
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    for &corners in triangles {
        ends(corners).into_iter().for_each(|edge| *used.entry(sorted(edge)).or_default() += 1);
    }
    for &corners in triangles {
        let [a, b, c] = corners.map(at);
        let twice_area = (b - a).cross(c - a);
        let Some(normal) = twice_area.try_normalize() else { continue };
        let plane = Quadric::plane(normal, a, 0.5 * twice_area.length());
        corners.iter().for_each(|&corner| quadrics[corner as usize] += plane);
        for edge in ends(corners).into_iter().filter(|&edge| used[&sorted(edge)] == 1) {
            let along = at(edge[1]) - at(edge[0]);
            let Some(upright) = along.cross(normal).try_normalize() else { continue };
            let plane = Quadric::plane(upright, at(edge[0]), along.length_squared());
            edge.iter().for_each(|&end| quadrics[end as usize] += plane);
        }
    }
    quadrics
}
