//! The triangles of panels, as the device draws them.

use bytemuck::{Pod, Zeroable};
use egui::epaint::Primitive;
use egui::{ClippedPrimitive, TextureId};
use starlings::vk::{Format, VertexAttribute};
use std::mem::offset_of;

/// Triangles with one texture, clipped to a rectangle of pixels: left, top, width and height.
#[derive(Debug, PartialEq)]
pub struct Draw {
    pub clip: [u32; 4],
    pub texture: TextureId,
    pub first: u32,
    pub count: u32,
}

/// A vertex: its place in the picture, from -1 to 1; in its texture, from 0 to 1; and its color, in sRGB, multiplied by
/// its alpha.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Corner {
    pub place: [f32; 2],
    pub texel: [f32; 2],
    pub color: [u8; 4],
}

pub const ATTRIBUTES: [VertexAttribute; 3] = [
    attribute(0, Format::R32G32_SFLOAT, offset_of!(Corner, place)),
    attribute(1, Format::R32G32_SFLOAT, offset_of!(Corner, texel)),
    attribute(2, Format::R8G8B8A8_UNORM, offset_of!(Corner, color)),
];

const fn attribute(location: u32, format: Format, offset: usize) -> VertexAttribute {
    VertexAttribute { location, binding: 0, format, offset: offset as u32 }
}

/// Vertices, indices and draws of `primitives` in a picture of `size` pixels. Those outside of it are left out.
pub fn triangles(
    primitives: &[ClippedPrimitive],
    pixels_per_point: f32,
    (width, height): (u32, u32),
) -> (Vec<Corner>, Vec<u32>, Vec<Draw>) {
    let (mut corners, mut indices, mut draws) = (Vec::new(), Vec::new(), Vec::new());
    let scale = [width, height].map(|edge| 2.0 * pixels_per_point / edge as f32);
    for ClippedPrimitive { clip_rect, primitive } in primitives {
        // This program's panels have no callbacks.
        let Primitive::Mesh(mesh) = primitive else { continue };
        let pixels = |points: f32, most: u32| ((points * pixels_per_point).round().max(0.0) as u32).min(most);
        let (left, right) = (pixels(clip_rect.min.x, width), pixels(clip_rect.max.x, width));
        let (top, bottom) = (pixels(clip_rect.min.y, height), pixels(clip_rect.max.y, height));
        if mesh.indices.is_empty() || left >= right || top >= bottom {
            continue;
        }
        let (base, first) = (corners.len() as u32, indices.len() as u32);
        corners.extend(mesh.vertices.iter().map(|vertex| Corner {
            place: [vertex.pos.x * scale[0] - 1.0, vertex.pos.y * scale[1] - 1.0],
            texel: [vertex.uv.x, vertex.uv.y],
            color: vertex.color.to_array(),
        }));
        indices.extend(mesh.indices.iter().map(|index| base + index));
        let (clip, count) = ([left, top, right - left, bottom - top], mesh.indices.len() as u32);
        draws.push(Draw { clip, texture: mesh.texture_id, first, count });
    }
    (corners, indices, draws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::Color32;

    #[test]
    fn triangles_are_in_the_picture_and_clipped_to_it() {
        let rect =
            |left, top, right, bottom| egui::Rect::from_min_max(egui::pos2(left, top), egui::pos2(right, bottom));
        let square = |at: egui::Rect| {
            let mut mesh = egui::Mesh::default();
            mesh.add_colored_rect(at, Color32::WHITE);
            Primitive::Mesh(mesh)
        };
        let clipped = |clip_rect, at| ClippedPrimitive { clip_rect, primitive: square(at) };
        let everywhere = rect(-10.0, -10.0, 1000.0, 1000.0);
        let shown = [
            clipped(everywhere, rect(0.0, 0.0, 50.0, 40.0)),
            clipped(rect(60.0, 0.0, 80.0, 9.0), everywhere),
            clipped(rect(5.0, 10.0, 7.0, 11.0), everywhere),
        ];
        let (corners, indices, draws) = triangles(&shown, 2.0, (100, 80));
        assert_eq!((corners[0].place, corners[3].place), ([-1.0, -1.0], [1.0, 1.0]));
        assert_eq!((corners.len(), indices.len()), (8, 12), "the second is right of the picture");
        assert!(indices[6..].iter().all(|&index| (4..8).contains(&index)), "{indices:?}");
        let texture = TextureId::default();
        let whole = Draw { clip: [0, 0, 100, 80], texture, first: 0, count: 6 };
        assert_eq!(draws, [whole, Draw { clip: [10, 20, 4, 2], texture, first: 6, count: 6 }]);
    }
}
