//! The canvas of a frame: the samples that all surfaces of the picture are put into, the pixels composed of them, and
//! what takes the picture from there to the host.

use super::resources;
use crate::error::{Error, Result};
use crate::flock::Settings;
use crate::flock::memory::{self, OtherMemory};
use crate::limits::{
    BINDING_MIRROR, BINDING_PIXELS, BINDING_SAMPLES, MAX_VISIBLE_BOIDS, MIRROR_HEIGHT, MIRROR_WIDTH, SAMPLES,
};
use crate::render::layout::VisibleBoid;
use crate::render::scene::triangle_bytes;
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, Descriptor, DescriptorSet, Device, DeviceInfo, Format, Image, ImageInfo,
    ImageUsage, MemoryLocation, SetLayout, ShaderStages,
};
use std::sync::Arc;

/// Format of a picture drawn without a window.
pub const PICTURE_FORMAT: Format = Format::R8G8B8A8_SRGB;

/// Pixels along an edge of a block of a cheaper picture.
pub const COARSE: u32 = 2;

/// Bytes of a sample: depth and color.
const SAMPLE: u64 = 8;

/// Bytes of a composed pixel.
const PIXEL: u64 = 4;

/// Bytes of the mirror image of the flock in the sea.
const MIRROR: u64 = 4 * MIRROR_WIDTH as u64 * MIRROR_HEIGHT as u64;

/// The buffers in which a picture is made. Frames in flight share them, one after the other.
pub struct Canvas {
    /// Depth and color of each sample.
    pub samples: Buffer,
    /// The composed pixels, row by row from the top.
    pub pixels: Buffer,
    /// How much of each texel of its mirror image in the sea the flock covers.
    pub mirror: Buffer,
    /// The set that binds all of them.
    pub set: DescriptorSet,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Pixels along an edge of a block: 1, or [`COARSE`] for a cheaper picture.
    pub block: u32,
}

impl Canvas {
    /// Makes a canvas of so many pixels, each with its samples.
    ///
    /// # Errors
    /// [`Error::Setting`] when the device has no images of that size, or what it could not make.
    pub fn new(device: &Arc<Device>, width: u32, height: u32) -> Result<Canvas> {
        Self::in_blocks(device, width, height, 1)
    }

    /// The same in blocks of `block` by `block` pixels, which share their samples.
    ///
    /// # Errors
    /// As [`Canvas::new`].
    pub fn in_blocks(device: &Arc<Device>, width: u32, height: u32, block: u32) -> Result<Canvas> {
        check_size(device.info(), width, height)?;
        let pixels = u64::from(width) * u64::from(height);
        let blocks = u64::from(width.div_ceil(block)) * u64::from(height.div_ceil(block));
        let most = most_pixels(device.info());
        if blocks > most {
            let accepted = format!("{most} pixels at most in a window on {}", device.info().name);
            return Err(Error::setting("size", format!("{width}x{height}"), accepted));
        }
        let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let buffer =
            |name, size| Buffer::new(device, &BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly });
        let samples = buffer(resources::SAMPLES.name(), SAMPLE * u64::from(SAMPLES) * blocks)?;
        let pixels = buffer(resources::PIXELS.name(), PIXEL * pixels)?;
        let mirror = buffer(resources::MIRROR.name(), MIRROR)?;
        let resources = [
            Descriptor::storage(BINDING_SAMPLES, SAMPLED_IN, &samples),
            Descriptor::storage(BINDING_PIXELS, ShaderStages::COMPUTE, &pixels),
            Descriptor::storage(BINDING_MIRROR, ShaderStages::COMPUTE, &mirror),
        ];
        let set = DescriptorSet::new(device, "canvas", &Self::layout(device)?, &resources)?;
        Ok(Canvas { samples, pixels, mirror, set, width, height, block })
    }

    /// Blocks from left to right, and from top to bottom.
    pub fn blocks(&self) -> (u32, u32) {
        (self.width.div_ceil(self.block), self.height.div_ceil(self.block))
    }

    /// The layout of its set.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn layout(device: &Arc<Device>) -> Result<SetLayout> {
        let of_compute = |binding| Binding::storage(binding, ShaderStages::COMPUTE);
        let bindings =
            [Binding::storage(BINDING_SAMPLES, SAMPLED_IN), of_compute(BINDING_PIXELS), of_compute(BINDING_MIRROR)];
        SetLayout::new(device, "canvas", &bindings)
    }
}

/// Stages that access the samples.
const SAMPLED_IN: ShaderStages =
    ShaderStages::from_raw(ShaderStages::COMPUTE.as_raw() | ShaderStages::FRAGMENT.as_raw());

/// Makes the image of a picture drawn without a window.
///
/// # Errors
/// [`Error::Setting`] when the device has no images of that size, or what it could not make.
pub fn picture(device: &Arc<Device>, width: u32, height: u32) -> Result<Image> {
    check_size(device.info(), width, height)?;
    let usage = ImageUsage::COLOR_ATTACHMENT | ImageUsage::TRANSFER_DST | ImageUsage::TRANSFER_SRC;
    Image::new(
        device,
        &ImageInfo { name: resources::PICTURE.name(), width, height, mip_levels: 1, format: PICTURE_FORMAT, usage },
    )
}

/// Makes the buffer that the host reads such a picture from: four bytes a pixel.
///
/// # Errors
/// What the device could not make.
pub fn picture_bytes(device: &Arc<Device>, width: u32, height: u32) -> Result<Buffer> {
    let size = PIXEL * u64::from(width) * u64::from(height);
    let (usage, location) = (BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu);
    Buffer::new(device, &BufferInfo { name: resources::PICTURE_BYTES.name(), size, usage, location })
}

/// Rows of a picture of `width` by `height` pixels that `device` can draw at once: by a descriptor, it reaches the
/// samples of so many. At least 1.
pub fn rows_at_once(device: &DeviceInfo, width: u32, height: u32) -> u32 {
    let rows = most_pixels(device) / u64::from(width.max(1));
    height.min(u32::try_from(rows).unwrap_or(u32::MAX)).max(1)
}

/// Checks that a picture of so many pixels of the flock of `settings` can be drawn on `device`, before anything of it
/// is made.
///
/// # Errors
/// [`Error::Setting`] when the device has no images of that size; [`Error::TooLarge`] naming the largest count that
/// fits.
pub fn check(device: &DeviceInfo, settings: &Settings, width: u32, height: u32) -> Result<()> {
    check_size(device, width, height)?;
    // Samples, pixels, the picture's image, and its copy for the host.
    let a_pixel = SAMPLE * u64::from(SAMPLES) + 3 * PIXEL;
    let list = u64::from(settings.boids.min(MAX_VISIBLE_BOIDS)) * size_of::<VisibleBoid>() as u64;
    let in_all = MIRROR
        + a_pixel * u64::from(width) * u64::from(rows_at_once(device, width, height))
        + list
        + triangle_bytes(settings);
    memory::check_drawn(device, settings, OtherMemory { a_boid: 0, in_all })
}

/// Pixels of a canvas, at most: its samples are accessed by a descriptor.
fn most_pixels(device: &DeviceInfo) -> u64 {
    device.reach(false) / (SAMPLE * u64::from(SAMPLES))
}

fn check_size(device: &DeviceInfo, width: u32, height: u32) -> Result<()> {
    let most = device.max_image_size;
    if (1..=most).contains(&width) && (1..=most).contains(&height) {
        return Ok(());
    }
    let accepted = format!("WIDTHxHEIGHT in pixels, each from 1 to {most} on {}", device.name);
    Err(Error::setting("size", format!("{width}x{height}"), accepted))
}
