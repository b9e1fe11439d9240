//! A starling: a body of rings with head and beak, wings with fingered tips, and a short notched tail.
//!
//! The outlines below are measured in lengths of the bird. From them, [`Mesh::bird`] lofts the body, and stretches the
//! wings and the tail as thin sheets of an upper and a lower face, so that back faces never show.

use super::Mesh;
use glam::{Vec3, vec3};

/// Corners of a ring of the body.
const SIDES: u32 = 8;

const TIP_OF_BEAK: Vec3 = vec3(0.0, -0.008, -0.5);
const RUMP: Vec3 = vec3(0.0, 0.004, 0.33);

/// Distance back, half width, half height, lift and shade of each ring of the body, from beak to rump.
const RINGS: [(f32, f32, f32, f32, f32); 7] = [
    (-0.388, 0.013, 0.016, 0.003, 2.00),
    (-0.376, 0.033, 0.035, 0.009, 0.75),
    (-0.330, 0.051, 0.052, 0.014, 0.85),
    (-0.270, 0.055, 0.056, 0.008, 0.95),
    (-0.150, 0.079, 0.081, 0.000, 1.00),
    (0.030, 0.084, 0.084, -0.008, 1.00),
    (0.200, 0.046, 0.042, 0.002, 0.90),
];

/// Columns of the right wing, from the shoulder past the wrist to the palm: places of its leading edge and of its
/// trailing edge, to the right and back. The last column bears the fingers.
const COLUMNS: [[(f32, f32); 2]; 5] = [
    [(0.040, -0.225), (0.040, 0.115)],
    [(0.160, -0.275), (0.150, 0.105)],
    [(0.285, -0.305), (0.265, 0.090)],
    [(0.410, -0.255), (0.365, 0.095)],
    [(0.550, -0.145), (0.440, 0.115)],
];

/// Tips of the wing's fingers, the outermost feathers, from front to rear.
const FINGERS: [(f32, f32); 5] = [(0.725, 0.065), (0.680, 0.125), (0.625, 0.160), (0.560, 0.172), (0.485, 0.160)];

/// Of a finger: where it begins to narrow to its tip, as a share of its length, and its width there, as a share of that
/// at its root.
const NARROWING: (f32, f32) = (0.75, 0.66);

/// The tail's outline, from the root of its right edge to the notch.
const TAIL: [(f32, f32); 4] = [(0.024, 0.22), (0.105, 0.465), (0.055, 0.475), (0.0, 0.45)];

/// A vertex of a sheet: its place, how far it follows the wingbeat, and its shade.
type Corner = (Vec3, f32, f32);

impl Mesh {
    /// The bird.
    pub fn bird() -> Mesh {
        let mut mesh = Mesh::default();
        mesh.body();
        let (corners, triangles) = wing();
        for side in [1.0, -1.0] {
            let sided: Vec<Corner> =
                corners.iter().map(|&(place, wing, shade)| (place * vec3(side, 1.0, 1.0), wing, shade)).collect();
            // Mirroring turns a triangle's front to the back.
            let turned = |&[a, b, c]: &[u32; 3]| if side > 0.0 { [a, b, c] } else { [a, c, b] };
            mesh.two_faced(&sided, &triangles.iter().map(turned).collect::<Vec<_>>(), 1.15);
        }
        let mut outline: Vec<(f32, f32)> = TAIL.to_vec();
        outline.extend(TAIL[..3].iter().rev().map(|&(right, back)| (-right, back)));
        let tail: Vec<Corner> = outline.iter().map(|&(right, back)| (vec3(right, 0.006, back), 0.0, 0.6)).collect();
        // Around the notch, so that the concave outline is covered once.
        mesh.two_faced(&tail, &[[3, 1, 0], [3, 2, 1], [3, 0, 6], [3, 6, 5], [3, 5, 4]], 1.0);
        mesh
    }

    fn body(&mut self) {
        let front = self.vertex(TIP_OF_BEAK, Vec3::NEG_Z, 0.0, 2.00);
        for &(back, width, height, lift, shade) in &RINGS {
            for side in 0..SIDES {
                let (sin, cos) = (std::f32::consts::TAU * (side as f32 + 0.5) / SIDES as f32).sin_cos();
                let belly = if sin < -0.3 && back > -0.3 { 1.35 } else { 1.0 };
                let place = vec3(width * cos, height * sin + lift, back);
                self.vertex(place, vec3(cos, sin, 0.0), 0.0, shade * belly);
            }
        }
        let rear = self.vertex(RUMP, Vec3::Z, 0.0, 0.8);
        self.spindle([front, rear], RINGS.len() as u32, SIDES);
        let places: Vec<Vec3> = self.vertices.iter().map(|vertex| vertex.position).collect();
        let triangles: Vec<[u32; 3]> = self.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        for (vertex, normal) in self.vertices.iter_mut().zip(normals(&places, &triangles)) {
            vertex.normal = normal;
        }
    }

    /// Adds a sheet with smooth normals, and its reverse side, whose shade is so many times as bright.
    fn two_faced(&mut self, corners: &[Corner], triangles: &[[u32; 3]], shade_below: f32) {
        let places: Vec<Vec3> = corners.iter().map(|corner| corner.0).collect();
        let normals = normals(&places, triangles);
        for (toward, shade_of_face) in [(1.0, 1.0), (-1.0, shade_below)] {
            let first = self.vertices.len() as u32;
            for (&(place, wing, shade), &normal) in corners.iter().zip(&normals) {
                self.vertex(place, toward * normal, wing, shade * shade_of_face);
            }
            for &[a, b, c] in triangles {
                let turned = if toward > 0.0 { [a, b, c] } else { [a, c, b] };
                self.indices.extend(turned.map(|index| first + index));
            }
        }
    }
}

/// The unit normals of vertices: those of their triangles, weighted by area.
fn normals(places: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; places.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| places[index as usize]);
        triangle.iter().for_each(|&index| sums[index as usize] += (b - a).cross(c - a));
    }
    sums.into_iter().map(Vec3::normalize).collect()
}

/// The upper face of the right wing.
fn wing() -> (Vec<Corner>, Vec<[u32; 3]>) {
    let mut corners: Vec<Corner> = Vec::new();
    let mut triangles = Vec::new();
    let mut before: Vec<u32> = Vec::new();
    for (column, &[lead, trail]) in COLUMNS.iter().enumerate() {
        let last = column + 1 == COLUMNS.len();
        // From the leading edge to the trailing edge; the last column has an end of each finger's root.
        let shares: Vec<f32> = if last {
            (0..=FINGERS.len()).map(|k| k as f32 / FINGERS.len() as f32).collect()
        } else {
            vec![0.0, 0.35, 1.0]
        };
        let first = corners.len() as u32;
        for share in shares {
            let right = lead.0 + share * (trail.0 - lead.0);
            let back = lead.1 + share * (trail.1 - lead.1);
            // Vaulted between its edges, most over the arm.
            let vault = 0.11 * share * (1.0 - share) * (1.0 - right);
            corners.push(corner(right, back, vault, 1.0 - 0.25 * share));
        }
        let now: Vec<u32> = (first..corners.len() as u32).collect();
        if !before.is_empty() {
            bridge(&before, &now, &mut triangles);
        }
        before = now;
    }
    for (finger, &(right, back)) in FINGERS.iter().enumerate() {
        let [front, rear] = [before[finger], before[finger + 1]];
        let [a, b] = [front, rear].map(|root| corners[root as usize].0);
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let tip = corner(right, back, 0.0, 0.5);
        let (share, width) = NARROWING;
        let narrow = middle.lerp(tip.0, share);
        let first = corners.len() as u32;
        for place in [narrow - width * half, narrow + width * half] {
            corners.push(corner(place.x, place.z, 0.0, 0.6));
        }
        corners.push(tip);
        triangles.extend([[front, rear, first + 1], [front, first + 1, first], [first, first + 1, first + 2]]);
    }
    (corners, triangles)
}

/// A place of the right wing, raised by `vault`: the tip is bent up, and follows the wingbeat farther than the wrist.
fn corner(right: f32, back: f32, vault: f32, shade: f32) -> Corner {
    let (shoulder, wrist, tip) = (COLUMNS[0][0].0, COLUMNS[2][0].0, FINGERS[0].0);
    let along = (right - shoulder) / (wrist - shoulder);
    let beyond = ((right - wrist) / (tip - wrist)).max(0.0);
    let wing = along.min(1.0) + 0.35 * beyond;
    (vec3(right, 0.024 + 0.014 * along.min(1.0) + 0.02 * beyond * beyond + vault, back), wing, shade)
}

/// Joins a column to the next one outwards, which may have another count of vertices.
fn bridge(inner: &[u32], outer: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let (mut i, mut j) = (0, 0);
    let share = |at: usize, column: &[u32]| at as f32 / (column.len() - 1) as f32;
    while i + 1 < inner.len() || j + 1 < outer.len() {
        if j + 1 == outer.len() || (i + 1 < inner.len() && share(i + 1, inner) <= share(j + 1, outer)) {
            triangles.push([inner[i], inner[i + 1], outer[j]]);
            i += 1;
        } else {
            triangles.push([inner[i], outer[j + 1], outer[j]]);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wing_is_covered_once_and_its_fingers_are_apart() {
        let (corners, triangles) = wing();
        let faces = triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|index| corners[index as usize].0);
            (b - a).cross(c - a)
        });
        assert!(faces.clone().all(|face| face.y > 0.0), "no triangle folds back");
        // So the sum of the triangles is the area of the outline, unless they overlap; seen from above, a grid of
        // points tells.
        let mut covered = 0;
        for x in 0..400 {
            for z in 0..400 {
                let place = vec3(x as f32 / 500.0, 0.0, z as f32 / 500.0 - 0.4);
                let inside = triangles.iter().filter(|triangle| {
                    let [a, b, c] = triangle.map(|index| corners[index as usize].0 - place);
                    let side = |from: Vec3, to: Vec3| from.z * to.x - from.x * to.z > 0.0;
                    side(a, b) && side(b, c) && side(c, a)
                });
                let count = inside.count();
                assert!(count <= 1, "{place} is covered {count} times");
                covered += count;
            }
        }
        let area = faces.map(|face| 0.5 * face.y).sum::<f32>();
        assert!((covered as f32 / 250_000.0 - area).abs() < 0.01 * area, "{covered} points, area {area}");
        // A line through the fingers leaves the wing between each two of them.
        let hits = |share: f32, finger: usize| {
            let [a, b] = [FINGERS[finger], FINGERS[finger + 1]];
            let place = vec3(a.0 + share * (b.0 - a.0), 0.0, a.1 + share * (b.1 - a.1));
            triangles.iter().any(|triangle| {
                let [a, b, c] = triangle.map(|index| corners[index as usize].0 - place);
                let side = |from: Vec3, to: Vec3| from.z * to.x - from.x * to.z > 0.0;
                side(a, b) && side(b, c) && side(c, a)
            })
        };
        assert!((0..FINGERS.len() - 1).all(|finger| !hits(0.5, finger)));
    }
}
