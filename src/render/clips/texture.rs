//! The frames of all clips as a texture: a column for each vertex of the near mesh, a row for each frame.
//!
//! The sampler looks at the middle of a column and anywhere between two rows, so that its linear filter blends two
//! frames. Half floats are filtered by every device of Vulkan 1.3, and hold places within 0.75 lengths to a 4,000th of
//! a length. A block of rows holds the places, the block below it the normals; vertices beyond `CLIP_COLUMNS` have two
//! more blocks below, and so on.

use super::Figure;
use crate::error::{Error, Result};
use crate::limits::{BINDING_CLIPS, CLIP_COLUMNS};
use crate::render::resources::CLIPS;
use crate::vk::{
    Binding, DescriptorSet, Device, Format, Image, ImageInfo, ImageUsage, SetLayout, ShaderStages, Stage, fill_image,
};
use glam::Vec3;
use half::f16;
use std::sync::Arc;

/// The texture on the device. No frame writes it.
pub struct ClipTexture {
    _image: Image,
    /// The shape of its descriptor set.
    pub layout: SetLayout,
    /// Its descriptor set.
    pub set: DescriptorSet,
}

/// The texture of `figure` on the device.
///
/// # Errors
/// [`Error::Input`] for more frames than an image of the device holds, or what it could not make.
pub fn texture(device: &Arc<Device>, figure: &Figure) -> Result<ClipTexture> {
    let ((width, height), most) = (size(figure), device.info().max_image_size);
    if height > most {
        let (vertices, rows) = (figure.near.vertices.len(), figure.rows);
        return Err(Error::Input(format!(
            "a mesh of {vertices} vertices in {rows} frames takes a texture of {width}x{height} texels; \
             accepted is at most {most}x{most} on {}: bake fewer vertices or frames",
            device.info().name
        )));
    }
    let info = ImageInfo {
        name: CLIPS.name(),
        width,
        height,
        mip_levels: 1,
        format: Format::R16G16B16A16_SFLOAT,
        usage: ImageUsage::TRANSFER_DST | ImageUsage::SAMPLED,
    };
    let image = Image::new(device, &info)?;
    let texels = texels(figure);
    let texels = bytemuck::cast_slice(&texels);
    fill_image(device, image.reference(CLIPS), [width, height], texels, Stage::VERTEX_SHADER)?;
    let binding = Binding::sampled(BINDING_CLIPS, ShaderStages::VERTEX);
    let (layout, set) = DescriptorSet::sampling(device, CLIPS.name(), binding, &image)?;
    Ok(ClipTexture { _image: image, layout, set })
}

/// Bytes of the texture, and of the buffer that fills it.
pub fn bytes(figure: &Figure) -> u64 {
    let (width, height) = size(figure);
    2 * 8 * u64::from(width) * u64::from(height)
}

/// Width and height.
fn size(figure: &Figure) -> (u32, u32) {
    let vertices = figure.near.vertices.len() as u32;
    (vertices.min(CLIP_COLUMNS), 2 * figure.rows * vertices.div_ceil(CLIP_COLUMNS))
}

/// Four half floats for each texel, row by row.
fn texels(figure: &Figure) -> Vec<[u16; 4]> {
    let (width, height) = size(figure);
    let mut texels = vec![[0; 4]; (width * height) as usize];
    for (row, frame) in (0..).zip(&figure.frames) {
        for (vertex, (place, normal)) in (0..).zip(frame) {
            let (column, block) = (vertex % CLIP_COLUMNS, 2 * (vertex / CLIP_COLUMNS));
            for (half, of) in [(0, place), (1, normal)] {
                let at = ((block + half) * figure.rows + row) * width + column;
                texels[at as usize] = coded(*of);
            }
        }
    }
    texels
}

fn coded(of: Vec3) -> [u16; 4] {
    of.extend(0.0).to_array().map(|number| f16::from_f32(number).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::shape::Shape;

    /// A mesh of more vertices than columns, too.
    #[test]
    fn every_frame_of_every_vertex_lies_where_the_vertex_shader_looks() {
        let bird = (*Figure::of(Shape::Bird)).clone();
        let mut wide = bird.clone();
        let copies = |list: &Vec<_>| list.iter().cycle().take(10_000).copied().collect::<Vec<_>>();
        wide.near.vertices = bird.near.vertices.iter().cycle().take(10_000).copied().collect();
        wide.frames = bird.frames.iter().map(copies).collect();
        for figure in [bird, wide] {
            let ((width, height), texels) = (size(&figure), texels(&figure));
            assert_eq!(texels.len() as u32, width * height);
            for (row, frame) in figure.frames.iter().enumerate() {
                for (vertex, (place, normal)) in frame.iter().enumerate() {
                    let (column, block) = (vertex % 4_096, vertex / 4_096 * 2 * figure.rows as usize);
                    let at = |y: usize| texels[y * width as usize + column].map(|bits| f16::from_bits(bits).to_f32());
                    let near = |a: [f32; 4], b: Vec3| Vec3::from_slice(&a).distance(b) < 5e-4;
                    assert!(near(at(block + row), *place) && near(at(block + row + figure.rows as usize), *normal));
                }
            }
        }
    }
}
