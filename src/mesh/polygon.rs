//! Polygons divided into triangles.
//!
//! Each of the corners stays one, those on straight edges too: what lies beside the polygon may have them, and a mesh
//! is closed only if both sides of an edge have the same ends.

use super::Triangle;
use crate::input::Bounded;
use glam::{DVec2, DVec3, Vec3};

/// Divides polygons, with room that is used again.
#[derive(Default)]
pub struct Divider {
    /// Corners seen at a right angle to the polygon, which is counter-clockwise.
    flat: Vec<DVec2>,
    /// Corners that are left, by their places in `flat`.
    ring: Vec<usize>,
}

impl Divider {
    /// Adds the triangles of a polygon to `all`: two less than it has corners. A fan from its first corner if that
    /// covers it, as of convex ones; otherwise ears are cut off (Meisters 1975).
    ///
    /// # Errors
    /// A polygon whose corners take more work than an input may ask for.
    pub fn divide(
        &mut self,
        polygon: &[usize],
        place: impl Fn(usize) -> Vec3,
        bounded: &Bounded,
        all: &mut Vec<Triangle>,
    ) -> Result<(), String> {
        let corner = |k: usize| place(polygon[k]);
        let count = polygon.len();
        if count < 3 {
            return Ok(());
        }
        self.project((0..count).map(|k| corner(k).as_dvec3()));
        let is_fan = (1..count - 1).all(|k| turn(self.flat[0], self.flat[k], self.flat[k + 1]) >= 0.0);
        if is_fan {
            all.extend((1..count - 1).map(|k| [0, k, k + 1].map(corner)));
            return Ok(());
        }
        self.ring.clear();
        self.ring.extend(0..count);
        // Where the search for an ear goes on: the corner before the last one.
        let mut at = 0;
        while self.ring.len() > 3 {
            let left = self.ring.len();
            let mut ear = None;
            for step in 0..left {
                let k = (at + step) % left;
                bounded.work(left as u64)?;
                if self.is_ear(k) {
                    ear = Some(k);
                    break;
                }
            }
            // Edges that cross have no ears: then any corner is as good, and all edges stay.
            let k = ear.unwrap_or(at % left);
            all.push(self.around(k).map(corner));
            self.ring.remove(k);
            at = (k + left - 2) % (left - 1);
        }
        all.push([self.ring[0], self.ring[1], self.ring[2]].map(corner));
        Ok(())
    }

    /// Looks at the polygon from the side from which it is counter-clockwise: along its normal by Newell's sums.
    fn project(&mut self, corners: impl Iterator<Item = DVec3> + Clone) {
        let next = corners.clone().cycle().skip(1);
        let first = corners.clone().next().unwrap_or_default();
        let sum = |sum: DVec3, (a, b): (DVec3, DVec3)| sum + (a - first).cross(b - first);
        let normal = corners.clone().zip(next).fold(DVec3::ZERO, sum);
        let (right, up) = normal.normalize_or(DVec3::Z).any_orthonormal_pair();
        self.flat.clear();
        self.flat.extend(corners.map(|place| DVec2::new((place - first).dot(right), (place - first).dot(up))));
    }

    /// A corner of the ring with those before and after it.
    fn around(&self, k: usize) -> [usize; 3] {
        let left = self.ring.len();
        [self.ring[(k + left - 1) % left], self.ring[k], self.ring[(k + 1) % left]]
    }

    /// Whether no other corner is in the triangle at a corner, which turns left.
    fn is_ear(&self, k: usize) -> bool {
        let [a, b, c] = self.around(k).map(|corner| self.flat[corner]);
        if turn(a, b, c) <= 0.0 {
            return false;
        }
        let is_in = |p: DVec2| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
        // Bridges to holes pass the same place twice.
        self.ring.iter().map(|&corner| self.flat[corner]).all(|p| p == a || p == b || p == c || !is_in(p))
    }
}

/// Twice the area of a triangle, above zero if it is counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::WORK;

    /// The triangles of a flat polygon, and whether they turn as it does and have its area.
    fn check(corners: &[[f32; 2]]) {
        let places: Vec<Vec3> = corners.iter().map(|&[x, y]| Vec3::new(x, 3.0, -y)).collect();
        let polygon: Vec<usize> = (0..places.len()).collect();
        let mut all = Vec::new();
        Divider::default().divide(&polygon, |k| places[k], &Bounded::new(0), &mut all).expect("little work");
        assert_eq!(all.len(), places.len() - 2);
        // Seen from above, x is right and -z is up.
        let area = |[a, b, c]: Triangle| (b - a).cross(c - a).y * 0.5;
        let own: f32 = (0..places.len())
            .map(|k| {
                (places[k].x * -places[(k + 1) % places.len()].z + places[(k + 1) % places.len()].x * places[k].z) * 0.5
            })
            .sum();
        let sums: (f32, f32) = all.iter().fold((0.0, 0.0), |sum, &of| (sum.0 + area(of), sum.1 + area(of).abs()));
        assert!(
            (sums.0 - own).abs() < 1e-5 * own.abs() && (sums.1 - own.abs()).abs() < 1e-5 * own.abs(),
            "{sums:?} {own}"
        );
    }

    #[test]
    fn concave_polygons_are_covered_once() {
        // A U both ways around and from each of its corners, a comb, a star, and a corner on a straight edge.
        let u = [[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]].map(|at| at.map(|x| x as f32));
        for first in 0..u.len() {
            let mut turned = u;
            turned.rotate_left(first);
            check(&turned);
            turned.reverse();
            check(&turned);
        }
        let comb = (0..40).map(|k| [k as f32 * 0.5, if usize::is_multiple_of(k, 2) { 1.0 } else { 9.0 }]);
        check(&[[19.5, 0.0], [0.0, 0.0]].into_iter().chain(comb).collect::<Vec<_>>());
        let star = |k: usize| {
            let (angle, far) = (k as f32 * 0.4, if k.is_multiple_of(2) { 1.0 } else { 0.3 });
            [angle.cos() * far, angle.sin() * far]
        };
        check(&(0..15).map(star).collect::<Vec<_>>());
        check(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]]);
    }

    #[test]
    fn work_is_bounded() {
        // A spiral: its ears are few, and each takes a look at all other corners.
        let bounded = Bounded::new(0);
        bounded.work(WORK - (1 << 20)).expect("as much as there is");
        let spiral = |k: usize| {
            let turn = k as f32 * 0.01;
            Vec3::new(turn.cos() * turn, turn.sin() * turn, 0.0)
        };
        let count = 10_000;
        let inner = |k: usize| spiral(k) * if k == 0 { 1.0 } else { 1.0 - 0.001 };
        let places: Vec<Vec3> = (0..count).map(spiral).chain((0..count).rev().map(inner)).collect();
        let polygon: Vec<usize> = (0..places.len()).collect();
        let divided = Divider::default().divide(&polygon, |k| places[k], &bounded, &mut Vec::new());
        assert!(divided.is_err_and(|why| why.starts_with("takes more than 1073741824 steps")));
    }
}
