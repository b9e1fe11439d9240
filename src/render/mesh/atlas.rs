//! The meshes of a look: those that the rasterizer draws in one vertex and one index buffer, and the coarse one, which `cull`
//! draws.

use super::Mesh;
use crate::limits::{DRAW_NEAR, DRAW_TARGETS};
use crate::render::layout::{DrawCommand, FarTriangle, FarVertex};
use crate::render::look::Shape;
use crate::render::skin;
use bytemuck::Zeroable;
use glam::{UVec3, Vec2, Vec3, vec2};

/// The meshes of a shape, with the arguments that draw no instance of them yet.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Every mesh's vertices and indices, one after the other.
    pub mesh: Mesh,
    /// The draws in the order of [`DRAW_NEAR`] and [`DRAW_TARGETS`].
    pub draws: [DrawCommand; 2],
    /// The coarse mesh.
    pub far: FarMesh,
}

/// A coarse mesh. Its vertices have no normals, since each triangle is flat.
#[derive(Clone, Debug, Default)]
pub struct FarMesh {
    /// Its vertices, each once.
    pub vertices: Vec<FarVertex>,
    /// Its triangles.
    pub triangles: Vec<FarTriangle>,
}

impl Atlas {
    /// Builds the meshes of boids of `shape`, and of targets.
    pub fn new(shape: Shape) -> Self {
        let [near, far] = pair(shape);
        let far = FarMesh::new(shape, &far);
        let mut atlas = Atlas { mesh: Mesh::default(), draws: [Zeroable::zeroed(); 2], far };
        for (draw, mesh) in [(DRAW_NEAR, near), (DRAW_TARGETS, Mesh::sphere(3))] {
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
    /// The coarse mesh of `shape`, from a mesh of its triangles.
    fn new(shape: Shape, mesh: &Mesh) -> FarMesh {
        let mut far = FarMesh::default();
        for indices in mesh.indices.chunks_exact(3) {
            let vertices = [0, 1, 2].map(|k| mesh.vertices[indices[k] as usize]);
            let [a, b, c] = vertices.map(|vertex| vertex.position);
            let mean = |of: [f32; 3]| of.iter().sum::<f32>() / 3.0;
            // Vertices of fish have a place in the texture instead of weights.
            let (wing, albedo, two_sided) = match shape {
                Shape::Fish => {
                    let places = vertices.map(|vertex| vec2(vertex.wing_or_u, vertex.shade_or_v));
                    // The tail is a single sheet in the plane of symmetry.
                    ([0.0; 3], mean_of_skin(places), [a, b, c].iter().all(|corner| corner.x == 0.0))
                }
                _ => {
                    let shade = mean(vertices.map(|vertex| vertex.shade_or_v));
                    (vertices.map(|vertex| vertex.wing_or_u), Vec3::splat(shade), shape == Shape::Bird)
                }
            };
            let corners = [0, 1, 2].map(|k| far.index(FarVertex { place: vertices[k].position, wing: wing[k] }));
            far.triangles.push(FarTriangle {
                corners: UVec3::from_array(corners),
                area: 0.5 * (b - a).cross(c - a),
                albedo,
                wing: mean(wing),
                two_sided: two_sided.into(),
            });
        }
        far
    }

    fn index(&mut self, vertex: FarVertex) -> u32 {
        let known = self.vertices.iter().position(|other| *other == vertex);
        known.unwrap_or_else(|| {
            self.vertices.push(vertex);
            self.vertices.len() - 1
        }) as u32
    }

    /// An upper bound of its silhouette from any side, in squares of a boid's length, if it is stretched by `scale`: half the area of
    /// its surface, and all of its single sheets.
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

/// The near and the far mesh of a shape. The far one is enlarged until both have the same silhouette on average over all
/// directions, so that a flock does not pale with distance.
fn pair(shape: Shape) -> [Mesh; 2] {
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
    use crate::limits::SPLAT_BATCH;
    use crate::render::look::SHAPES;

    #[test]
    fn the_atlas_holds_each_mesh_where_its_draw_says() {
        for shape in SHAPES {
            let atlas = Atlas::new(shape.value);
            let [near, far] = pair(shape.value);
            assert_eq!(atlas.far.triangles.len(), far.indices.len() / 3);
            let most = SPLAT_BATCH as usize;
            assert!(atlas.far.vertices.len() <= most && atlas.far.triangles.len() <= most, "cull relies on it");
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
            let far = Atlas::new(shape.value).far.triangles;
            let sheets = far.iter().filter(|triangle| triangle.two_sided == 1).count();
            let expected = match shape.value {
                Shape::Bird => far.len(),
                Shape::Fish => 2,
                _ => 0,
            };
            assert_eq!(sheets, expected, "{}", shape.name);
            let places = Atlas::new(shape.value).far.vertices;
            assert!(places.iter().all(|vertex| vertex.place.length() <= 0.75), "cull relies on it: {}", shape.name);
            assert!(far.iter().all(|triangle| triangle.albedo.min_element() > 0.01), "{}", shape.name);
        }
    }

    /// The mean area of the silhouette of `mesh` from many directions, by counting points of a grid. Fish are `cut` by the alpha of
    /// their texture.
    fn mean_silhouette(mesh: &Mesh, cut: bool) -> f32 {
        const DIRECTIONS: u32 = 64;
        const GRID: usize = 96;
        let mut covered = 0;
        for k in 0..DIRECTIONS {
            // A Fibonacci lattice on the sphere.
            let height = 1.0 - (2.0 * k as f32 + 1.0) / DIRECTIONS as f32;
            let turn = 2.399_963_2 * k as f32;
            let around = (1.0 - height * height).sqrt();
            let view = Vec3::new(around * turn.cos(), height, around * turn.sin());
            let (right, up) = view.any_orthonormal_pair();
            let mut grid = [[false; GRID]; GRID];
            for triangle in mesh.indices.chunks_exact(3) {
                let vertices = [0, 1, 2].map(|k| mesh.vertices[triangle[k] as usize]);
                let [a, b, c] = vertices.map(|vertex| vec2(vertex.position.dot(right), vertex.position.dot(up)));
                let area = (b - a).perp_dot(c - a);
                for (y, row) in grid.iter_mut().enumerate() {
                    for (x, point) in row.iter_mut().enumerate() {
                        let place = (vec2(x as f32, y as f32) + 0.5) / GRID as f32 * 2.0 - 1.0 - a;
                        let (s, t) = (place.perp_dot(c - a) / area, (b - a).perp_dot(place) / area);
                        if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
                            let [a, b, c] = vertices.map(|vertex| vec2(vertex.wing_or_u, vertex.shade_or_v));
                            *point |= !cut || skin::texel(a + s * (b - a) + t * (c - a))[3] >= 0.4;
                        }
                    }
                }
            }
            covered += grid.as_flattened().iter().filter(|point| **point).count();
        }
        4.0 * covered as f32 / (GRID * GRID) as f32 / DIRECTIONS as f32
    }

    #[test]
    fn coarse_meshes_cover_as_much_as_detailed_ones() {
        for shape in SHAPES {
            let [near, far] = pair(shape.value);
            let (near, far) = (mean_silhouette(&near, shape.value == Shape::Fish), mean_silhouette(&far, false));
            assert!(
                (far / near - 1.0).abs() < 0.02,
                "{}: {far} instead of {near}: {}",
                shape.name,
                (near / far).sqrt()
            );
        }
    }
}
