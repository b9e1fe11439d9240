//! The meshes that the rasterizer draws, in one vertex and one index buffer; and the coarse one, which `cull` draws.

use super::Mesh;
use crate::limits::{DRAW_NEAR, DRAW_TARGETS};
use crate::render::layout::{DrawCommand, FarTriangle};
use crate::render::shape::Shape;
use crate::render::skin;
use bytemuck::Zeroable;
use glam::{UVec3, Vec2, Vec3};

/// The meshes that the rasterizer draws, with the arguments that draw no instance of them yet.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Every mesh's vertices and indices, one after the other. Those of boids come first: clips are by the number of
    /// the vertex.
    pub mesh: Mesh,
    /// The draws in the order of [`DRAW_NEAR`] and [`DRAW_TARGETS`].
    pub draws: [DrawCommand; 2],
}

/// A coarse mesh and its frames. Its vertices have no normals, since each triangle is flat.
#[derive(Clone, Debug, Default)]
pub struct FarMesh {
    /// Of its vertices, each once: the place at rest, in lengths of a boid, and how far it follows the wings.
    pub corners: Vec<(Vec3, f32)>,
    /// Of each frame of its clips, the place of each vertex; then a frame that is never shown.
    pub frames: Vec<Vec3>,
    /// Its triangles.
    pub triangles: Vec<FarTriangle>,
}

impl Atlas {
    /// Puts the near mesh of boids together with that of targets.
    pub fn new(near: &Mesh) -> Self {
        let mut atlas = Atlas { mesh: Mesh::default(), draws: [Zeroable::zeroed(); 2] };
        for (draw, mesh) in [(DRAW_NEAR, near.clone()), (DRAW_TARGETS, Mesh::sphere(3))] {
            atlas.draws[draw as usize] = DrawCommand {
                index_count: mesh.indices.len() as u32,
                first_index: atlas.mesh.indices.len() as u32,
                vertex_offset: atlas.mesh.vertices.len() as i32,
                ..Zeroable::zeroed()
            };
            atlas.mesh.vertices.extend(mesh.vertices);
            atlas.mesh.indices.extend(mesh.indices);
        }
        atlas
    }
}

impl FarMesh {
    /// The coarse mesh of `shape`, from a mesh of its triangles, without frames.
    pub(crate) fn new(shape: Shape, mesh: &Mesh) -> FarMesh {
        let mut far = FarMesh::default();
        for indices in mesh.indices.chunks_exact(3) {
            let vertices = [0, 1, 2].map(|k| mesh.vertices[indices[k] as usize]);
            let [a, b, c] = vertices.map(|vertex| vertex.position);
            let (albedo, two_sided) = match shape {
                // The tail is a single sheet in the plane of symmetry.
                Shape::Fish => {
                    let places = vertices.map(|vertex| vertex.skin_place);
                    (mean_of_skin(places), [a, b, c].iter().all(|corner| corner.x == 0.0))
                }
                _ => (vertices.map(|vertex| vertex.albedo).iter().sum::<Vec3>() / 3.0, shape == Shape::Bird),
            };
            let corners = vertices.map(|vertex| far.index((vertex.position, vertex.wing)));
            far.triangles.push(FarTriangle {
                corners: UVec3::from_array(corners),
                area: 0.5 * (b - a).cross(c - a),
                albedo,
                wing: vertices.map(|vertex| vertex.wing).iter().sum::<f32>() / 3.0,
                two_sided: two_sided.into(),
            });
        }
        far
    }

    fn index(&mut self, corner: (Vec3, f32)) -> u32 {
        let known = self.corners.iter().position(|other| *other == corner);
        known.unwrap_or_else(|| {
            self.corners.push(corner);
            self.corners.len() - 1
        }) as u32
    }

    /// An upper bound of its silhouette from any side, in squares of a boid's length, if it is stretched by `scale`:
    /// half the area of its surface, and all of its single sheets.
    pub fn most_silhouette(&self, scale: Vec3) -> f32 {
        let stretched = Vec3::new(scale.y * scale.z, scale.z * scale.x, scale.x * scale.y);
        let shown = |triangle: &FarTriangle| {
            (triangle.area * stretched).length() * if triangle.two_sided == 1 { 1.0 } else { 0.5 }
        };
        self.triangles.iter().map(shown).sum()
    }
}

/// The mean color of the texture within a triangle of it, of the opaque texels.
fn mean_of_skin([a, b, c]: [Vec2; 3]) -> Vec3 {
    const PARTS: u32 = 12;
    let mut sum = Vec3::ZERO;
    let mut weight = 0.0;
    for i in 0..PARTS {
        for j in 0..PARTS - i {
            let share = |k: u32| (k as f32 + 1.0 / 3.0) / PARTS as f32;
            let [red, green, blue, alpha] = skin::texel(a + share(i) * (b - a) + share(j) * (c - a));
            sum += alpha * Vec3::new(red, green, blue);
            weight += alpha;
        }
    }
    sum / weight.max(1e-6)
}

/// The near and the far mesh of a shape. The far one is enlarged until both have the same silhouette on average over
/// all directions, so that a flock does not pale with distance.
pub fn pair(shape: Shape) -> [Mesh; 2] {
    let (near, far, enlarged) = match shape {
        Shape::Bird => (Mesh::bird(), Mesh::far_bird(), 1.154),
        Shape::Dart => (Mesh::dart(), Mesh::dart(), 1.0),
        Shape::Fish => (Mesh::fish(), Mesh::far_fish(), 1.149),
        Shape::Plane => (Mesh::plane(), Mesh::dart(), 1.08),
        Shape::Dot => (Mesh::dot(2), Mesh::dot(0), 1.136),
    };
    [near, far.enlarged(enlarged)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::mesh::mean_silhouette;
    use crate::render::shape::SHAPES;

    #[test]
    fn the_atlas_holds_each_mesh_where_its_draw_says() {
        for shape in SHAPES {
            let [near, far] = pair(shape.value);
            let atlas = Atlas::new(&near);
            assert_eq!(FarMesh::new(shape.value, &far).triangles.len(), far.indices.len() / 3);
            for (draw, part) in atlas.draws.iter().zip([near, Mesh::sphere(3)]) {
                let first = draw.first_index as usize;
                assert_eq!(atlas.mesh.indices[first..first + draw.index_count as usize], part.indices);
                for (k, vertex) in part.vertices.iter().enumerate() {
                    assert_eq!(atlas.mesh.vertices[draw.vertex_offset as usize + k], *vertex, "{}", shape.name);
                }
            }
        }
    }

    #[test]
    fn birds_and_tails_of_fish_show_both_faces_and_all_triangles_have_a_color() {
        for shape in SHAPES {
            let FarMesh { corners, triangles: far, .. } = FarMesh::new(shape.value, &pair(shape.value)[1]);
            let sheets = far.iter().filter(|triangle| triangle.two_sided == 1).count();
            let expected = match shape.value {
                Shape::Bird => far.len(),
                Shape::Fish => 2,
                _ => 0,
            };
            assert_eq!(sheets, expected, "{}", shape.name);
            assert!(corners.iter().all(|(place, _)| place.length() <= 0.75), "cull relies on it: {}", shape.name);
            assert!(far.iter().all(|triangle| triangle.albedo.min_element() > 0.01), "{}", shape.name);
        }
    }

    #[test]
    fn coarse_meshes_cover_as_much_as_detailed_ones() {
        for shape in SHAPES {
            let [near, far] = pair(shape.value);
            // Fish are cut by the alpha of their texture.
            let places = |corners: &[u32]| [0, 1, 2].map(|k| near.vertices[corners[k] as usize].skin_place);
            let is_opaque = |triangle: usize, s: f32, t: f32| {
                let [a, b, c] = places(&near.indices[3 * triangle..]);
                shape.value != Shape::Fish || skin::texel(a + s * (b - a) + t * (c - a))[3] >= 0.4
            };
            let corners = |mesh: &Mesh| -> Vec<[Vec3; 3]> {
                let place = |index: u32| mesh.vertices[index as usize].position;
                mesh.indices.chunks_exact(3).map(|t| [place(t[0]), place(t[1]), place(t[2])]).collect()
            };
            let near = mean_silhouette(&corners(&near), is_opaque);
            let far = mean_silhouette(&corners(&far), |_, _, _| true);
            assert!(
                (far / near - 1.0).abs() < 0.02,
                "{}: {far} instead of {near}: {}",
                shape.name,
                (near / far).sqrt()
            );
        }
    }
}
