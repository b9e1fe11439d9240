//! The panels on the device: egui's triangles and textures.
//!
//! A texture is replaced as a whole, from a copy kept here, while the device is idle: frames in flight may read it, and
//! it changes rarely, for example for a new glyph. Each frame slot has its own triangles, written anew only where the
//! picture has changed since.

mod triangles;

use barrier_proof::{Pass, Resource, Stage, Use};
use egui::{ClippedPrimitive, ColorImage, ImageData, TextureId, TexturesDelta};
use starlings::Result;
use starlings::frame::Overlay;
use starlings::limits::BINDING_PANEL_TEXTURE;
use starlings::shaders::module;
use starlings::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, DescriptorSet, Device, Format, GraphicsInfo, GraphicsPipeline, Image,
    ImageInfo, ImageUsage, MemoryLocation, Recorder, SetLayout, ShaderStages, Target, fill_image,
};
use std::collections::HashMap;
use std::sync::Arc;
use triangles::{ATTRIBUTES, Corner, Draw, triangles};

/// The name of all of the panels' objects, but for their vertices, indices and textures.
const NAME: &str = "panels";

const TEXTURES: Resource = Resource::new("panel_textures");
const PANEL_VERTICES: Resource = Resource::new("panel_vertices");
const PANEL_INDICES: Resource = Resource::new("panel_indices");

/// The panels' contents for the next frame.
pub struct PanelPicture {
    /// Triangles, with the rectangle each is clipped to, in points.
    pub primitives: Vec<ClippedPrimitive>,
    /// Changes of the textures since the previous picture.
    pub textures: TexturesDelta,
    /// Pixels in a point.
    pub pixels_per_point: f32,
}

/// Draws panels over a picture. Its owner drops it when the device no longer uses it.
pub struct Panels {
    pipeline: GraphicsPipeline,
    /// What each frame slot draws.
    meshes: Vec<Mesh>,
    textures: HashMap<TextureId, Texture>,
    /// What they hold, or are to hold.
    texels: HashMap<TextureId, ColorImage>,
    // Textures that only the last picture may still use.
    unused: Vec<TextureId>,
    primitives: Vec<ClippedPrimitive>,
    pixels_per_point: f32,
    /// Pictures so far.
    pictures: u64,
    device: Arc<Device>,
}

/// A texture on the device.
struct Texture {
    set: DescriptorSet,
    _image: Image,
}

/// The triangles of a frame slot.
#[derive(Default)]
struct Mesh {
    /// Vertices and indices.
    buffers: Option<[Buffer; 2]>,
    draws: Vec<Draw>,
    /// The picture that they show, and its width and height in pixels.
    shows: Option<(u64, (u32, u32))>,
}

impl Panels {
    /// Creates panels for attachments of `format`. `slots` is the number of frames in flight.
    ///
    /// # Errors
    /// What the device could not make; [`starlings::Error::Lacks`] if it was adopted for steps only.
    pub fn new(device: &Arc<Device>, format: Format, slots: usize) -> Result<Self> {
        Ok(Panels {
            pipeline: pipeline(device, format)?,
            meshes: (0..slots).map(|_| Mesh::default()).collect(),
            textures: HashMap::new(),
            texels: HashMap::new(),
            unused: Vec::new(),
            primitives: Vec::new(),
            pixels_per_point: 1.0,
            pictures: 0,
            device: device.clone(),
        })
    }

    /// Panels that always show what `draw` draws, over a picture of `size` pixels: prepared for each slot.
    pub fn showing(
        device: &Arc<Device>,
        format: Format,
        slots: usize,
        (width, height): (u32, u32),
        draw: impl FnMut(&mut egui::Ui),
    ) -> Result<Self> {
        let mut panels = Panels::new(device, format, slots)?;
        let context = egui::Context::default();
        let rect = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width as f32, height as f32));
        let input = egui::RawInput { screen_rect: Some(rect), ..egui::RawInput::default() };
        let output = context.run_ui(input, draw);
        let primitives = context.tessellate(output.shapes, output.pixels_per_point);
        let (textures, pixels_per_point) = (output.textures_delta, output.pixels_per_point);
        panels.set_picture(PanelPicture { primitives, textures, pixels_per_point })?;
        (0..slots).try_for_each(|slot| panels.prepare(slot, (width, height)))?;
        Ok(panels)
    }

    /// The same panels on another device, with the textures of these, which go on to be changed where they are used.
    pub fn on_device(&self, device: &Arc<Device>, format: Format) -> Result<Self> {
        let mut panels = Panels::new(device, format, self.meshes.len())?;
        for (&id, texels) in &self.texels {
            panels.textures.insert(id, Texture::new(device, texels)?);
        }
        panels.texels.clone_from(&self.texels);
        panels.unused.clone_from(&self.unused);
        Ok(panels)
    }

    /// Sets the picture for the next frames. Waits for the device when a texture changed, for example for a new glyph.
    pub fn set_picture(&mut self, mut picture: PanelPicture) -> Result<()> {
        // Taken out together: egui requires that no change is dropped unprocessed, even if one fails. The texels come
        // first: if the device is lost, panels on another one go on from them.
        let set: Vec<_> = picture.textures.set.drain().collect();
        let unused = std::mem::replace(&mut self.unused, picture.textures.free.drain().collect());
        for id in &unused {
            self.texels.remove(id);
        }
        for (id, deltas) in &set {
            for delta in deltas {
                let ImageData::Color(part) = &delta.image;
                match (delta.pos, self.texels.get_mut(id)) {
                    (Some(corner), Some(whole)) => paste(whole, part, corner),
                    _ => _ = self.texels.insert(*id, ColorImage::clone(part)),
                }
            }
        }
        if !set.is_empty() || !unused.is_empty() {
            self.device.wait_idle()?;
        }
        for id in unused {
            self.textures.remove(&id);
        }
        for (id, _) in set {
            if let Some(texels) = self.texels.get(&id) {
                self.textures.insert(id, Texture::new(&self.device, texels)?);
            }
        }
        self.primitives = picture.primitives;
        self.pixels_per_point = picture.pixels_per_point;
        self.pictures += 1;
        Ok(())
    }

    /// Writes the triangles of the picture for a frame in slot `slot`, of `size` pixels. The device is done with the
    /// slot.
    pub fn prepare(&mut self, slot: usize, size: (u32, u32)) -> Result<()> {
        let mesh = &mut self.meshes[slot];
        let wanted = (self.pictures, size);
        if mesh.shows == Some(wanted) {
            return Ok(());
        }
        // Until all is written.
        mesh.shows = None;
        let (corners, indices, draws) = triangles(&self.primitives, self.pixels_per_point, size);
        mesh.draws = draws;
        if mesh.draws.is_empty() {
            mesh.shows = Some(wanted);
            return Ok(());
        }
        let bytes = [size_of_val(&corners[..]), size_of_val(&indices[..])].map(|bytes| bytes as u64);
        if mesh
            .buffers
            .as_ref()
            .is_none_or(|[vertices, indices]| vertices.size() < bytes[0] || indices.size() < bytes[1])
        {
            let buffer = |name, size: u64, usage| {
                // Twice as large as the power of two below, so that a panel that grows by a line seldom needs others.
                let size = size.next_power_of_two();
                Buffer::new(&self.device, &BufferInfo { name, size, usage, location: MemoryLocation::CpuToGpu })
            };
            mesh.buffers = None;
            mesh.buffers = Some([
                buffer(PANEL_VERTICES.name(), bytes[0], BufferUsage::VERTEX_BUFFER)?,
                buffer(PANEL_INDICES.name(), bytes[1], BufferUsage::INDEX_BUFFER)?,
            ]);
        }
        if let Some([to_vertices, to_indices]) = &mut mesh.buffers {
            to_vertices.write(0, &corners);
            to_indices.write(0, &indices);
        }
        mesh.shows = Some(wanted);
        Ok(())
    }
}

impl Overlay for Panels {
    /// Draws what was prepared for `slot` over the picture in `over`, inside a rendering.
    fn draw(&self, rec: &mut Recorder<'_>, slot: usize, over: &Target) {
        let uses = [
            Use::vertices(PANEL_VERTICES),
            Use::indices(PANEL_INDICES),
            Use::sampled(Stage::FRAGMENT_SHADER, TEXTURES),
            Use::color_read(over.image.resource),
            Use::color_write(over.image.resource),
        ];
        let pass = Pass { name: NAME, stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &uses };
        let Mesh { buffers, draws, .. } = &self.meshes[slot];
        rec.pass(&pass, |rec| {
            let Some([vertices, indices]) = buffers else { return };
            rec.bind_mesh(vertices, indices);
            for draw in draws {
                let Some(texture) = self.textures.get(&draw.texture) else { continue };
                rec.bind_graphics(&self.pipeline, &[&texture.set], &[]);
                rec.clip(draw.clip);
                rec.draw_indexed(draw.first, draw.count);
            }
        });
    }
}

impl Texture {
    /// Copies `texels` into a new image.
    fn new(device: &Arc<Device>, texels: &ColorImage) -> Result<Texture> {
        let [width, height] = texels.size.map(|edge| edge as u32);
        let image = Image::new(
            device,
            &ImageInfo {
                name: TEXTURES.name(),
                width,
                height,
                mip_levels: 1,
                format: Format::R8G8B8A8_SRGB,
                usage: ImageUsage::TRANSFER_DST | ImageUsage::SAMPLED,
            },
        )?;
        let (_, set) = DescriptorSet::sampling(device, TEXTURES.name(), BINDING, &image)?;
        fill_image(device, image.reference(TEXTURES), [width, height], texels.as_raw(), Stage::FRAGMENT_SHADER)?;
        Ok(Texture { set, _image: image })
    }
}

const BINDING: Binding = Binding {
    index: BINDING_PANEL_TEXTURE,
    kind: ash::vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    stages: ShaderStages::FRAGMENT,
};

fn pipeline(device: &Arc<Device>, format: Format) -> Result<GraphicsPipeline> {
    let encodes = format == Format::B8G8R8A8_SRGB || format == Format::R8G8B8A8_SRGB;
    let info = GraphicsInfo {
        name: NAME,
        vertex: &module(device, "panel_vert"),
        fragment: &module(device, "panel_frag"),
        constants: &[u32::from(!encodes)],
        sets: &[&SetLayout::new(device, TEXTURES.name(), &[BINDING])?],
        vertex_stride: size_of::<Corner>() as u32,
        attributes: &ATTRIBUTES,
        color: Some(format),
        samples: 1,
        premultiplied: true,
        cull_back: false,
    };
    GraphicsPipeline::new(device, &info)
}

/// Copies `part` into `whole` with its first pixel at `corner`, clipped to `whole`.
fn paste(whole: &mut ColorImage, part: &ColorImage, [left, top]: [usize; 2]) {
    let columns = part.width().min(whole.width().saturating_sub(left));
    let rows = part.height().min(whole.height().saturating_sub(top));
    let stride = whole.width();
    for row in 0..rows {
        let to = (top + row) * stride + left;
        let from = row * part.width();
        whole.pixels[to..to + columns].copy_from_slice(&part.pixels[from..from + columns]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::Color32;

    #[test]
    fn a_part_is_pasted_where_it_belongs() {
        let mut whole = ColorImage::filled([4, 3], Color32::BLACK);
        paste(&mut whole, &ColorImage::filled([2, 2], Color32::WHITE), [1, 1]);
        let white: Vec<usize> = (0..12).filter(|&i| whole.pixels[i] == Color32::WHITE).collect();
        assert_eq!(white, [5, 6, 9, 10]);
        paste(&mut whole, &ColorImage::filled([3, 3], Color32::RED), [3, 2]);
        assert_eq!(whole.pixels.iter().filter(|&&p| p == Color32::RED).count(), 1, "the rest is outside");
    }
}
