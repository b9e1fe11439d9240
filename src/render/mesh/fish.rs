//! A fish: a spindle of a body, and fins of single sheets whose outlines the texture's alpha cuts out.
//!
//! The texture shows the fish from its side, so a vertex's place in it is its place along and across the fish;
//! [`skin`](crate::render::skin) paints it by the same measures. The pectoral fins, which stand out sideways, have a
//! corner of it to themselves.

use super::Mesh;
use glam::{Vec2, Vec3, vec2, vec3};

/// Height of the fish's middle above the texture's upper edge, in lengths of the fish.
pub const TOP: f32 = 0.30;

/// The corner of the texture that holds a pectoral fin: its upper left, and its size.
pub const PECTORAL: (Vec2, Vec2) = (vec2(0.02, 0.68), vec2(0.30, 0.28));

/// Distance back, half width, half height and lift of each ring of the body, from head to tail.
const RINGS: [(f32, f32, f32, f32); 5] = [
    (-0.41, 0.038, 0.060, 0.000),
    (-0.26, 0.070, 0.112, 0.002),
    (-0.05, 0.076, 0.128, 0.005),
    (0.15, 0.046, 0.078, 0.004),
    (0.28, 0.016, 0.034, 0.000),
];

const NOSE: f32 = -0.5;
const ROOT_OF_TAIL: f32 = 0.33;

/// Where the side view has a point of the fish.
fn side_view(position: Vec3) -> Vec2 {
    vec2(position.z + 0.5, TOP - position.y)
}

/// Half the height of the body at distance `back` from the middle, and how far it is lifted.
pub fn outline(back: f32) -> (f32, f32) {
    let ends = [(NOSE, 0.0, 0.0, 0.0), (ROOT_OF_TAIL, 0.0, 0.012, 0.0)];
    let mut rings = ends[..1].iter().chain(&RINGS).chain(&ends[1..]).copied().map(|(z, _, high, lift)| (z, high, lift));
    let mut below = rings.next().expect("there are rings");
    for above in rings {
        if back <= above.0 {
            let share = ((back - below.0) / (above.0 - below.0)).clamp(0.0, 1.0);
            return (below.1 + share * (above.1 - below.1), below.2 + share * (above.2 - below.2));
        }
        below = above;
    }
    (0.0, 0.0)
}

impl Mesh {
    /// A fish of 54 vertices.
    pub fn fish() -> Mesh {
        const SIDES: u32 = 6;
        let mut mesh = Mesh::default();
        let nose = mesh.point(vec3(0.0, -0.004, NOSE), vec3(0.0, 0.0, -1.0));
        for &(back, width, height, lift) in &RINGS {
            for side in 0..SIDES {
                let (sin, cos) = (std::f32::consts::TAU * (side as f32 + 0.5) / SIDES as f32).sin_cos();
                let lean = if back < -0.1 { -0.5 } else { 0.25 };
                let normal = vec3(cos / width, sin / height, lean / width);
                mesh.point(vec3(width * cos, height * sin + lift, back), normal);
            }
        }
        let end = mesh.point(vec3(0.0, 0.0, ROOT_OF_TAIL), vec3(0.0, 0.0, 1.0));
        mesh.spindle([nose, end], RINGS.len() as u32, SIDES);
        // Fin on the back, fin on the belly, tail.
        mesh.upright(&[(-0.20, 0.075, 0.25), (0.18, 0.04, 0.25)]);
        mesh.upright(&[(0.0, -0.20, -0.09), (0.22, -0.20, -0.03)]);
        mesh.upright(&[(0.26, -0.05, 0.05), (0.38, -0.16, 0.16), (0.5, -0.26, 0.26)]);
        for side in [1.0, -1.0] {
            mesh.pectoral(side);
        }
        mesh
    }

    /// A fish of few pixels: two pyramids, and a tail.
    pub fn far_fish() -> Mesh {
        let mut mesh = Mesh::default();
        let nose = mesh.point(vec3(0.0, 0.0, NOSE), vec3(0.0, 0.0, -1.0));
        let middle = [vec3(0.075, 0.0, -0.1), vec3(0.0, 0.13, -0.1), vec3(-0.075, 0.0, -0.1), vec3(0.0, -0.13, -0.1)];
        let around = middle.map(|place| mesh.point(place, place.with_z(0.0)));
        let end = mesh.point(vec3(0.0, 0.0, ROOT_OF_TAIL), vec3(0.0, 0.0, 1.0));
        for side in 0..4 {
            let [a, b] = [around[side], around[(side + 1) % 4]];
            mesh.indices.extend([nose, b, a, end, a, b]);
        }
        mesh.upright(&[(0.28, -0.06, 0.06), (0.5, -0.24, 0.24)]);
        mesh
    }

    /// Adds a vertex that lies where the side view has it.
    fn point(&mut self, position: Vec3, normal: Vec3) -> u32 {
        self.painted(position, normal, side_view(position))
    }

    /// Adds a vertex that lies at a place of the texture.
    fn painted(&mut self, position: Vec3, normal: Vec3, skin_place: Vec2) -> u32 {
        let index = self.vertex(position, normal, 0.0, 1.0);
        self.vertices[index as usize].skin_place = skin_place;
        index
    }

    /// Adds a sheet in the fish's plane of symmetry, from columns of (distance back, lower end, upper end).
    fn upright(&mut self, columns: &[(f32, f32, f32)]) {
        let ends: Vec<[u32; 2]> = columns
            .iter()
            .map(|&(back, low, high)| [low, high].map(|y| self.point(vec3(0.0, y, back), Vec3::X)))
            .collect();
        for pair in ends.windows(2) {
            let [[a, b], [c, d]] = [pair[0], pair[1]];
            // Seen from the right, where its normal points.
            self.indices.extend([a, b, c, c, b, d]);
        }
    }

    /// Adds the pectoral fin of one side.
    fn pectoral(&mut self, side: f32) {
        let (corner, size) = PECTORAL;
        let at = |x: f32, y: f32, z: f32, u: f32, v: f32| (vec3(side * x, y, z), corner + size * vec2(u, v));
        let outline = [
            at(0.060, -0.030, -0.24, 0.0, 0.0),
            at(0.190, -0.075, -0.13, 1.0, 0.0),
            at(0.190, -0.110, 0.00, 1.0, 1.0),
            at(0.064, -0.055, -0.12, 0.0, 1.0),
        ];
        let [a, b, c] = [0, 1, 2].map(|k: usize| outline[k].0);
        let normal = (b - a).cross(c - a);
        let first = self.vertices.len() as u32;
        for (position, place) in outline {
            self.painted(position, normal, place);
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|k| first + k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_runs_through_the_rings() {
        for (back, _, height, lift) in RINGS {
            assert_eq!(outline(back), (height, lift));
        }
        assert_eq!(outline(NOSE).0, 0.0);
        assert_eq!(outline(0.5).0, 0.0);
        assert!(outline(-0.15).0 > 0.112 && outline(-0.15).0 < 0.128);
    }

    #[test]
    fn every_vertex_lies_in_the_texture() {
        for mesh in [Mesh::fish(), Mesh::far_fish()] {
            for vertex in mesh.vertices {
                let inside = |place: f32| (0.0..=1.0).contains(&place);
                assert!(inside(vertex.skin_place.x) && inside(vertex.skin_place.y), "{vertex:?}");
            }
        }
    }
}
