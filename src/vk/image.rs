//! Two-dimensional images that a frame draws to or samples, each with one view, and how they are sampled.

use super::barrier::{ImageRef, whole};
use super::device::Device;
use super::memory::Memory;
use crate::error::Result;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::sync::Arc;

pub use ash::vk::Format;
pub use ash::vk::ImageUsageFlags as ImageUsage;
pub use ash::vk::SampleCountFlags as Samples;

/// How to make an [`Image`].
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo<'a> {
    /// Name shown by profilers and in errors.
    pub name: &'a str,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Levels, each half as wide as the one before.
    pub mip_levels: u32,
    /// Format of a pixel.
    pub format: Format,
    /// What it is used for.
    pub usage: ImageUsage,
    /// Samples in a pixel.
    pub samples: Samples,
}

/// A named image, its memory and its one view.
pub struct Image {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) aspect: vk::ImageAspectFlags,
    // Freed after the image is destroyed.
    memory: Option<Memory>,
    device: Arc<Device>,
}

impl Image {
    /// Makes an image and its view.
    ///
    /// # Errors
    /// [`crate::Error::Allocation`] or [`crate::Error::Vulkan`] naming the image when there is no memory for it.
    pub fn new(device: &Arc<Device>, info: &ImageInfo<'_>) -> Result<Self> {
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(info.format)
            .extent(vk::Extent3D { width: info.width, height: info.height, depth: 1 })
            .mip_levels(info.mip_levels)
            .array_layers(1)
            .samples(info.samples)
            .usage(info.usage);
        // SAFETY: the device is alive and `create` is complete.
        let raw = device.made("vkCreateImage", info.name, unsafe { device.raw.create_image(&create, None) })?;
        let depth = info.usage.contains(ImageUsage::DEPTH_STENCIL_ATTACHMENT);
        // From here on `drop` releases what exists.
        let mut image = Image {
            raw,
            view: vk::ImageView::null(),
            aspect: if depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR },
            memory: None,
            device: device.clone(),
        };
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { device.raw.get_image_memory_requirements(raw) };
        let memory = Memory::new(device, info.name, requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe { device.raw.bind_image_memory(raw, memory.raw(), memory.offset()) }
            .map_err(|r| device.error("vkBindImageMemory", info.name, r))?;
        image.memory = Some(memory);
        image.view = create_view(device, raw, info.format, image.aspect, info.name)?;
        Ok(image)
    }

    /// This image under the name that the journal knows it by, for a barrier or an attachment.
    pub fn reference(&self, name: &'static str) -> ImageRef {
        ImageRef { raw: self.raw, view: self.view, aspect: self.aspect, name }
    }
}

pub(super) fn create_view(
    device: &Device,
    image: vk::Image,
    format: Format,
    aspect: vk::ImageAspectFlags,
    name: &str,
) -> Result<vk::ImageView> {
    let create = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(whole(aspect));
    // SAFETY: the image belongs to this device and has memory.
    device.made("vkCreateImageView", name, unsafe { device.raw.create_image_view(&create, None) })
}

/// How an image is sampled: between texels and levels, and no farther than its edge.
pub struct Sampler {
    pub(super) raw: vk::Sampler,
    device: Arc<Device>,
}

impl Sampler {
    /// Makes a sampler.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the sampler.
    pub fn new(device: &Arc<Device>, name: &str) -> Result<Self> {
        let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let create = vk::SamplerCreateInfo::default()
            .mag_filter(vk::Filter::LINEAR)
            .min_filter(vk::Filter::LINEAR)
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .address_mode_u(edge)
            .address_mode_v(edge)
            .address_mode_w(edge)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is alive and `create` is complete.
        let raw = device.made("vkCreateSampler", name, unsafe { device.raw.create_sampler(&create, None) })?;
        Ok(Sampler { raw, device: device.clone() })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: made from this device; its owner waited until the device no longer uses it.
        unsafe { self.device.raw.destroy_sampler(self.raw, None) };
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: made from this device; its owner waited until the device no longer uses it. A null view
        // may be destroyed.
        unsafe {
            self.device.raw.destroy_image_view(self.view, None);
            self.device.raw.destroy_image(self.raw, None);
        }
    }
}
