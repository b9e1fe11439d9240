//! The meshes: one for near boids and a coarse one for far ones of each shape, and a sphere for targets.
//!
//! A boid is one unit long and looks along -z, with +x to its right and +y up. Every mesh but the fish is closed: each
//! edge is shared by two triangles that run along it in opposite directions, so back faces never show. A fish has a
//! closed body and fins of a single sheet, which show both of their faces.

mod atlas;
mod bird;
pub mod fish;
mod plane;
mod silhouette;

pub(super) use atlas::pair;
pub use atlas::{Atlas, FarMesh};
pub use silhouette::mean_silhouette;

use super::layout::Vertex;
use glam::{Vec2, Vec3, vec3};

/// Triangles with counter-clockwise fronts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// Three indices for each triangle.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// Adds a vertex and gives its index.
    fn vertex(&mut self, position: Vec3, normal: Vec3, wing: f32, shade: f32) -> u32 {
        let (normal, albedo) = (normal.normalize(), Vec3::splat(shade));
        self.vertices.push(Vertex { position, normal, wing, albedo, skin_place: Vec2::ZERO });
        self.vertices.len() as u32 - 1
    }

    /// Adds a flat fan over `outline` (position, wing weight, shade), counter-clockwise seen from its front.
    fn facet(&mut self, outline: &[(Vec3, f32, f32)]) {
        let [a, b, c] = [0, 1, 2].map(|i: usize| outline[i].0);
        let normal = (b - a).cross(c - a);
        let fan: Vec<u32> =
            outline.iter().map(|&(position, wing, shade)| self.vertex(position, normal, wing, shade)).collect();
        for pair in fan[1..].windows(2) {
            self.indices.extend([fan[0], pair[0], pair[1]]);
        }
    }

    /// The same, so many times as large.
    #[must_use]
    fn enlarged(mut self, factor: f32) -> Mesh {
        self.vertices.iter_mut().for_each(|vertex| vertex.position *= factor);
        self
    }

    /// Joins two ends by the rings of vertices that lie between them, each of `sides` and one after the other.
    fn spindle(&mut self, [front, rear]: [u32; 2], rings: u32, sides: u32) {
        let ring = |index: u32, side: u32| front + 1 + index * sides + side % sides;
        let last = rings - 1;
        for side in 0..sides {
            self.indices.extend([front, ring(0, side + 1), ring(0, side)]);
            for band in 0..last {
                let [a, b] = [ring(band, side), ring(band, side + 1)];
                let [c, d] = [ring(band + 1, side), ring(band + 1, side + 1)];
                self.indices.extend([a, b, c, b, d, c]);
            }
            self.indices.extend([rear, ring(last, side), ring(last, side + 1)]);
        }
    }

    /// A bird of few pixels, of single sheets: two wings, and a body with a fan of a tail, seen from above and from the
    /// side.
    pub fn far_bird() -> Mesh {
        let beak = (vec3(0.0, 0.0, -0.5), 0.0, 0.9);
        let [front, rear] = [(vec3(0.0, 0.035, -0.31), 0.0, 1.0), (vec3(0.0, 0.025, 0.22), 0.0, 0.9)];
        let mut mesh = Mesh::default();
        for side in [1.0, -1.0] {
            mesh.facet(&[front, rear, (vec3(0.635 * side, 0.03, 0.09), 1.2, 0.6)]);
        }
        mesh.facet(&[beak, (vec3(-0.10, 0.005, 0.44), 0.0, 0.7), (vec3(0.10, 0.005, 0.44), 0.0, 0.7)]);
        mesh.facet(&[beak, (vec3(0.0, -0.085, 0.06), 0.0, 1.2), (vec3(0.0, 0.085, 0.06), 0.0, 1.0)]);
        mesh
    }

    /// A flat tetrahedron, slender enough to see which corner is ahead, with about the bird's silhouette on average
    /// over all directions.
    pub fn dart() -> Mesh {
        let nose = (vec3(0.0, 0.0, -0.5), 0.0, 1.0);
        let right = (vec3(0.363, 0.02, 0.40), 1.0, 0.8);
        let left = (vec3(-0.363, 0.02, 0.40), 1.0, 0.8);
        let keel = (vec3(0.0, 0.06, 0.22), 0.0, 1.0);
        let mut mesh = Mesh::default();
        mesh.facet(&[nose, right, left]);
        mesh.facet(&[nose, keel, right]);
        mesh.facet(&[nose, left, keel]);
        mesh.facet(&[keel, left, right]);
        mesh
    }

    /// A ball 0.6 times as wide as a boid is long, a sphere of so many splits.
    pub fn dot(splits: u32) -> Mesh {
        let mut mesh = Mesh::sphere(splits);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.position *= 0.3);
        mesh
    }

    /// A unit sphere: an icosahedron whose triangles are split in four `splits` times.
    pub fn sphere(splits: u32) -> Mesh {
        let golden = (1.0 + 5.0f32.sqrt()) / 2.0;
        let mut points: Vec<Vec3> = Vec::new();
        for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
            points.extend([vec3(a, b, 0.0), vec3(0.0, a, b), vec3(b, 0.0, a)]);
        }
        let edge = 2.0 + 1e-3;
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for a in 0..12 {
            for b in a + 1..12 {
                for c in b + 1..12 {
                    let [p, q, r] = [points[a], points[b], points[c]];
                    if p.distance(q) < edge && q.distance(r) < edge && r.distance(p) < edge {
                        let outward = (q - p).cross(r - p).dot(p) > 0.0;
                        let [b, c] = if outward { [b, c] } else { [c, b] };
                        triangles.push([a as u32, b as u32, c as u32]);
                    }
                }
            }
        }
        for _ in 0..splits {
            let mut middles = std::collections::HashMap::new();
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    points.push(points[a as usize] + points[b as usize]);
                    points.len() as u32 - 1
                })
            };
            triangles = triangles
                .iter()
                .flat_map(|&[a, b, c]| {
                    let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                    [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
                })
                .collect();
            points.iter_mut().for_each(|point| *point = point.normalize());
        }
        let mut mesh = Mesh::default();
        for point in points {
            mesh.vertex(point.normalize(), point, 0.0, 1.0);
        }
        mesh.indices = triangles.into_iter().flatten().collect();
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn closed() -> [(&'static str, Mesh); 5] {
        let (icosahedron, sphere) = (Mesh::sphere(0), Mesh::sphere(3));
        let plane = ("plane", Mesh::plane());
        [("bird", Mesh::bird()), ("dart", Mesh::dart()), plane, ("icosahedron", icosahedron), ("sphere", sphere)]
    }

    fn meshes() -> impl Iterator<Item = (&'static str, Mesh)> {
        closed().into_iter().chain([("fish", Mesh::fish()), ("far fish", Mesh::far_fish())])
    }

    /// Edges that triangles do not run along as often in one direction as in the other.
    fn open_edges(mesh: &Mesh) -> usize {
        let mut edges: HashMap<[[u32; 3]; 2], i32> = HashMap::new();
        for triangle in triangles(mesh) {
            let corners = triangle.map(|v| v.position.to_array().map(|x| (x + 0.0).to_bits()));
            for i in 0..3 {
                let [a, b] = [corners[i], corners[(i + 1) % 3]];
                *edges.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
        edges.values().filter(|&&balance| balance != 0).count()
    }

    fn triangles(mesh: &Mesh) -> impl Iterator<Item = [Vertex; 3]> {
        mesh.indices.chunks_exact(3).map(|t| [0, 1, 2].map(|i| mesh.vertices[t[i] as usize]))
    }

    #[test]
    fn indices_are_whole_triangles_in_range() {
        for (name, mesh) in meshes() {
            assert_eq!(mesh.indices.len() % 3, 0, "{name}");
            assert!(mesh.indices.iter().all(|&i| (i as usize) < mesh.vertices.len()), "{name}");
        }
        assert!(Mesh::bird().indices.len() / 3 <= 300, "{}", Mesh::bird().indices.len() / 3);
        assert_eq!(Mesh::dart().indices.len() / 3, 4);
        assert_eq!(Mesh::sphere(3).indices.len() / 3, 20 * 64);
    }

    #[test]
    fn every_mesh_is_closed_but_for_the_fins_of_fish() {
        for (name, mesh) in closed() {
            assert_eq!(open_edges(&mesh), 0, "{name}");
        }
        // Around a fin of n vertices lead n edges: two fins of four, a tail of six and two pectoral fins of four.
        assert_eq!(open_edges(&Mesh::fish()), 4 + 4 + 6 + 2 * 4);
        assert_eq!(open_edges(&Mesh::far_fish()), 4);
        let vertices = Mesh::fish().vertices.len();
        assert!((45..=55).contains(&vertices), "a low-poly fish, not one of {vertices} vertices");
    }

    #[test]
    fn normals_are_unit_and_agree_with_their_triangles() {
        for (name, mesh) in meshes() {
            for [a, b, c] in triangles(&mesh) {
                let face = (b.position - a.position).cross(c.position - a.position);
                assert!(face.length() > 1e-6, "{name} has a triangle without area");
                for vertex in [a, b, c] {
                    assert!((vertex.normal.length() - 1.0).abs() < 1e-5, "{name}");
                }
                let mean = a.normal + b.normal + c.normal;
                assert!(mean.dot(face) > 0.0, "{name}: {a:?} {b:?} {c:?}");
            }
        }
    }

    #[test]
    fn closed_meshes_enclose_a_positive_volume() {
        for (name, mesh) in closed() {
            let volume: f32 = triangles(&mesh).map(|[a, b, c]| a.position.dot(b.position.cross(c.position))).sum();
            assert!(volume > 0.0, "{name}: {volume}");
        }
    }

    #[test]
    fn boids_are_one_unit_long_and_symmetric() {
        for mesh in [Mesh::bird(), Mesh::dart(), Mesh::plane(), Mesh::fish(), Mesh::far_fish()] {
            let z = |v: &Vertex| v.position.z;
            let front = mesh.vertices.iter().map(z).fold(f32::INFINITY, f32::min);
            assert!((front + 0.5).abs() < 0.02, "{front}");
            for vertex in &mesh.vertices {
                assert!(vertex.position.length() <= 0.75, "the cull pass relies on it");
            }
        }
        let bird = Mesh::bird();
        for vertex in bird.vertices.iter().filter(|v| v.wing > 0.0) {
            let mirrored = vertex.position * vec3(-1.0, 1.0, 1.0);
            assert!(bird.vertices.iter().any(|v| v.position == mirrored && v.wing == vertex.wing));
        }
    }
}
