//! The images a frame draws to: multisampled color and depth, and offscreen the picture itself.

use super::layout::VisibleBoid;
use crate::error::{Error, Result};
use crate::flock::Settings;
use crate::flock::memory::{self, Besides};
use crate::vk::{
    Attachments, Buffer, BufferInfo, BufferUsage, Device, DeviceInfo, Format, Image, ImageInfo, ImageRef, ImageUsage,
    MemoryLocation, Samples,
};
use std::sync::Arc;

/// Format of the depth attachment: reversed depth needs a floating-point format to be of use.
pub const DEPTH_FORMAT: Format = Format::D32_SFLOAT;

/// Format of a picture drawn without a window.
pub const PICTURE_FORMAT: Format = Format::R8G8B8A8_SRGB;

/// Samples in a pixel.
pub const SAMPLES: Samples = Samples::TYPE_4;

/// The multisampled images. Their contents live only from the beginning to the end of the rendering.
pub struct Multisampled {
    color: Image,
    depth: Image,
    width: u32,
    height: u32,
}

impl Multisampled {
    /// Makes both images.
    ///
    /// # Errors
    /// [`Error::Setting`] when the device has no images of that size, or what it could not make.
    pub fn new(device: &Arc<Device>, color_format: Format, width: u32, height: u32) -> Result<Self> {
        check_size(device.info(), width, height)?;
        let image = |name, format, usage| {
            Image::new(device, &ImageInfo { name, width, height, mip_levels: 1, format, usage, samples: SAMPLES })
        };
        let (color, depth) = (ImageUsage::COLOR_ATTACHMENT, ImageUsage::DEPTH_STENCIL_ATTACHMENT);
        Ok(Multisampled {
            color: image("color", color_format, color | ImageUsage::TRANSIENT_ATTACHMENT)?,
            depth: image("depth", DEPTH_FORMAT, depth | ImageUsage::TRANSIENT_ATTACHMENT)?,
            width,
            height,
        })
    }

    /// The attachments of a frame that is resolved into `resolve`.
    pub fn attachments(&self, resolve: ImageRef) -> Attachments {
        Attachments {
            color: self.color.reference("color"),
            depth: self.depth.reference("depth"),
            resolve,
            width: self.width,
            height: self.height,
        }
    }
}

/// Makes the image of a picture drawn without a window.
///
/// # Errors
/// [`Error::Setting`] when the device has no images of that size, or what it could not make.
pub fn picture(device: &Arc<Device>, width: u32, height: u32) -> Result<Image> {
    check_size(device.info(), width, height)?;
    Image::new(
        device,
        &ImageInfo {
            name: "picture",
            width,
            height,
            mip_levels: 1,
            format: PICTURE_FORMAT,
            usage: ImageUsage::COLOR_ATTACHMENT | ImageUsage::TRANSFER_SRC,
            samples: Samples::TYPE_1,
        },
    )
}

/// Makes the buffer that the host reads such a picture from: four bytes a pixel.
///
/// # Errors
/// What the device could not make.
pub fn picture_bytes(device: &Arc<Device>, width: u32, height: u32) -> Result<Buffer> {
    let size = 4 * u64::from(width) * u64::from(height);
    let (usage, location) = (BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu);
    Buffer::new(device, &BufferInfo { name: "picture_bytes", size, usage, location })
}

/// Checks that a picture of so many pixels of the flock of `settings` can be drawn on `device`, before anything of it is made.
///
/// # Errors
/// [`Error::Setting`] when the device has no images of that size; [`Error::TooLarge`] naming the largest count that fits.
pub fn check(device: &DeviceInfo, settings: &Settings, width: u32, height: u32) -> Result<()> {
    check_size(device, width, height)?;
    // Color and depth of four samples, the picture, and its copy for the host; each takes four bytes.
    let a_pixel = 4 * (2 * 4 + 1 + 1);
    let in_all = a_pixel * u64::from(width) * u64::from(height);
    memory::check_drawn(device, settings, Besides { a_boid: size_of::<VisibleBoid>() as u64, in_all })
}

fn check_size(device: &DeviceInfo, width: u32, height: u32) -> Result<()> {
    let most = device.max_image_size;
    if (1..=most).contains(&width) && (1..=most).contains(&height) {
        return Ok(());
    }
    let accepted = format!("WIDTHxHEIGHT in pixels, each from 1 to {most} on {}", device.name);
    Err(Error::setting("size", format!("{width}x{height}"), accepted))
}
