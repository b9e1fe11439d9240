//! The panels on the device: egui's triangles, its textures and the crate that draws them.
//!
//! `egui-ash-renderer` takes raw handles, so it is used only here. It has two limitations: it overwrites and destroys textures
//! that a frame in flight may still read, so the device is idle before any change; and it discards a texture's contents when it
//! updates a part, so every change uploads the whole texture from a copy kept here. It allocates its own memory: the shared
//! allocator needs to know which resources are linear, and the crate declares all of them so.

use super::barrier::Stage;
use super::device::Device;
use super::drawing::Target;
use super::image::Format;
use super::naming::naming_device;
use super::owned::Owned;
use super::pass::{Pass, Use};
use super::recorder::Recorder;
use crate::error::{Error, Result};
use ash::vk;
use egui::epaint::ImageDelta;
use egui::{ClippedPrimitive, ColorImage, ImageData, TextureId, TextureOptions, TexturesDelta};
use egui_ash_renderer::allocator::DefaultAllocator;
use egui_ash_renderer::{DynamicRendering, Options, RenderMode, Renderer, RendererError};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The panels' contents for the next frame.
pub struct PanelPicture {
    /// Triangles, with the rectangle each is clipped to, in points.
    pub primitives: Vec<ClippedPrimitive>,
    /// Changes of the textures since the previous picture.
    pub textures: TexturesDelta,
    /// Pixels in a point.
    pub pixels_per_point: f32,
}

/// Draws panels over a picture.
pub struct Panels {
    // Drawing changes the renderer's buffers, but recording a frame only borrows what it draws.
    renderer: RefCell<Renderer<DefaultAllocator>>,
    failure: RefCell<Option<Error>>,
    pool: Owned<vk::CommandPool>,
    slots: usize,
    textures: HashMap<TextureId, (ColorImage, TextureOptions)>,
    // Textures that only the last picture may still use.
    unused: Vec<TextureId>,
    primitives: Vec<ClippedPrimitive>,
    pixels_per_point: f32,
    device: Arc<Device>,
}

impl Panels {
    /// Creates panels for attachments of `format`. `slots` is the number of frames in flight.
    ///
    /// # Errors
    /// [`Error::Panels`] or [`Error::Vulkan`] when the device cannot; [`Error::Lacks`] if it was adopted for steps only.
    pub fn new(device: &Arc<Device>, format: Format, slots: usize) -> Result<Self> {
        device.require_pictures()?;
        let mode = RenderMode::DynamicRendering(DynamicRendering {
            color_attachment_format: format,
            depth_attachment_format: None,
            stencil_attachment_format: None,
        });
        let srgb_framebuffer = format == Format::B8G8R8A8_SRGB || format == Format::R8G8B8A8_SRGB;
        let options = Options { in_flight_frames: slots, srgb_framebuffer, ..Options::default() };
        let (instance, raw) = (&device.instance.raw, naming_device(&device.instance, &device.raw));
        let renderer =
            Renderer::with_default_allocator(instance, device.info.raw, raw, mode, options).map_err(failed)?;
        Ok(Panels {
            renderer: RefCell::new(renderer),
            failure: RefCell::new(None),
            pool: device.command_pool("panels")?,
            slots,
            textures: HashMap::new(),
            unused: Vec::new(),
            primitives: Vec::new(),
            pixels_per_point: 1.0,
            device: device.clone(),
        })
    }

    /// Panels that always show what `draw` draws, over a picture of `size` pixels.
    ///
    /// # Errors
    /// As [`Panels::new`].
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
        Ok(panels)
    }

    /// The same panels for attachments of another format. The device must be idle.
    ///
    /// # Errors
    /// As [`Panels::new`].
    pub fn with_format(mut self, format: Format) -> Result<Self> {
        let mut panels = Panels::new(&self.device, format, self.slots)?;
        panels.textures = std::mem::take(&mut self.textures);
        let ids: Vec<TextureId> = panels.textures.keys().copied().collect();
        for id in ids {
            panels.upload(id)?;
        }
        Ok(panels)
    }

    /// Sets the picture for the next frames. Waits for the device when a texture changed, for example for a new glyph.
    ///
    /// # Errors
    /// [`Error::Panels`] when a texture cannot be made.
    pub fn set_picture(&mut self, mut picture: PanelPicture) -> Result<()> {
        // Taken out together: egui requires that no change is dropped unprocessed, even if one fails.
        let set: Vec<_> = picture.textures.set.drain().collect();
        let free: Vec<_> = picture.textures.free.drain().collect();
        if !set.is_empty() || !self.unused.is_empty() {
            self.device.wait_idle()?;
        }
        for id in std::mem::take(&mut self.unused) {
            self.textures.remove(&id);
            self.renderer.get_mut().free_texture(id).map_err(failed)?;
        }
        for (id, deltas) in set {
            for delta in deltas {
                let ImageData::Color(part) = &delta.image;
                match (delta.pos, self.textures.get_mut(&id)) {
                    (Some(corner), Some((whole, _))) => paste(whole, part, corner),
                    (_, _) => drop(self.textures.insert(id, (ColorImage::clone(part), delta.options))),
                }
            }
            self.upload(id)?;
        }
        self.unused.extend(free);
        self.primitives = picture.primitives;
        self.pixels_per_point = picture.pixels_per_point;
        Ok(())
    }

    /// Draws the picture over the one in `over`, inside a rendering. [`Panels::take_failure`] returns errors.
    pub fn draw(&self, rec: &mut Recorder<'_>, over: &Target) {
        let uses = [
            Use::vertices("panel_vertices"),
            Use::indices("panel_indices"),
            Use::sampled("panel_textures"),
            Use::color_read(over.image.name),
            Use::color_write(over.image.name),
        ];
        let pass = Pass { name: "panels", stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &uses };
        rec.pass(&pass, |rec| {
            let extent = vk::Extent2D { width: over.width, height: over.height };
            let mut renderer = self.renderer.borrow_mut();
            if let Err(e) = renderer.cmd_draw(rec.commands, extent, self.pixels_per_point, &self.primitives) {
                *self.failure.borrow_mut() = Some(failed(e));
            }
        });
    }

    /// The error of [`Panels::draw`] since the last call, if any.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.get_mut().take()
    }

    /// Replaces a texture by its copy kept here. The device is idle.
    fn upload(&mut self, id: TextureId) -> Result<()> {
        let Some((image, options)) = self.textures.get(&id) else { return Ok(()) };
        let whole = ImageDelta::full(image.clone(), *options);
        let queue = self.device.queue();
        self.renderer.get_mut().set_texture(*queue, *self.pool, id, &whole).map_err(failed)
    }
}

impl Drop for Panels {
    fn drop(&mut self) {
        // Renderer and pool, dropped after this, free objects that frames in flight may still use.
        if let Err(error) = self.device.wait_idle() {
            tracing::error!("{error}");
        }
    }
}

fn failed(error: RendererError) -> Error {
    Error::Panels(error.to_string())
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
