//! All meshes of a look in one vertex and one index buffer.

use super::Mesh;
use crate::limits::{DRAW_FAR, DRAW_NEAR, DRAW_TARGETS};
use crate::render::layout::DrawCommand;
use crate::render::look::Shape;
use bytemuck::Zeroable;

/// The meshes of a shape, with the arguments that draw no instance of them yet.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Every mesh's vertices and indices, one after the other.
    pub mesh: Mesh,
    /// The draws in the order of [`DRAW_NEAR`], [`DRAW_FAR`] and [`DRAW_TARGETS`].
    pub draws: [DrawCommand; 3],
}

impl Atlas {
    /// Builds the meshes of boids of `shape`, and of targets.
    pub fn new(shape: Shape) -> Self {
        let mut atlas = Atlas { mesh: Mesh::default(), draws: [Zeroable::zeroed(); 3] };
        let [near, far] = pair(shape);
        for (draw, mesh) in [(DRAW_NEAR, near), (DRAW_FAR, far), (DRAW_TARGETS, Mesh::sphere(3))] {
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

/// The near and the far mesh of a shape.
fn pair(shape: Shape) -> [Mesh; 2] {
    match shape {
        Shape::Bird => [Mesh::bird(), Mesh::dart()],
        Shape::Dart => [Mesh::dart(), Mesh::dart()],
        Shape::Fish => [Mesh::fish(), Mesh::far_fish()],
        Shape::Plane => [Mesh::plane(), Mesh::dart()],
        Shape::Dot => [Mesh::dot(2), Mesh::dot(0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::look::SHAPES;

    #[test]
    fn the_atlas_holds_each_mesh_where_its_draw_says() {
        for shape in SHAPES {
            let atlas = Atlas::new(shape.value);
            let [near, far] = pair(shape.value);
            for (draw, part) in atlas.draws.iter().zip([near, far, Mesh::sphere(3)]) {
                let first = draw.first_index as usize;
                assert_eq!(atlas.mesh.indices[first..first + draw.index_count as usize], part.indices);
                for (k, vertex) in part.vertices.iter().enumerate() {
                    assert_eq!(atlas.mesh.vertices[draw.vertex_offset as usize + k], *vertex, "{}", shape.name);
                }
            }
        }
    }
}
