//! Two-dimensional images that a frame draws to or samples, each with one view, and their sampler.

use super::device::Device;
use super::memory::Memory;
use super::owned::Owned;
use crate::error::{Error, Result};
use ash::vk;
use barrier_proof::{ImageRef, Resource};
use gpu_allocator::MemoryLocation;
use std::sync::Arc;

pub use ash::vk::Format;
pub use ash::vk::ImageUsageFlags as ImageUsage;

/// Parameters of an [`Image`].
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo<'a> {
    /// Name in profilers and errors.
    pub name: &'a str,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Levels, each half as wide as the one before.
    pub mip_levels: u32,
    /// Format of a pixel.
    pub format: Format,
    /// Its uses.
    pub usage: ImageUsage,
}

/// A named image, its memory and its view.
pub struct Image {
    // Destroyed in this order.
    pub(super) view: Owned<vk::ImageView>,
    raw: Owned<vk::Image>,
    _memory: Memory,
}

impl Image {
    /// Makes an image and its view.
    pub fn new(device: &Arc<Device>, info: &ImageInfo<'_>) -> Result<Self> {
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(info.format)
            .extent(vk::Extent3D { width: info.width, height: info.height, depth: 1 })
            .mip_levels(info.mip_levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(info.usage);
        // SAFETY: the device is alive and `create` is complete.
        let made = unsafe { device.raw.create_image(&create, None) };
        let raw = device.owned("vkCreateImage", info.name, made, ash::Device::destroy_image)?;
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { device.raw.get_image_memory_requirements(*raw) };
        let memory = Memory::new(device, info.name, requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe { device.raw.bind_image_memory(*raw, memory.raw(), memory.offset()) }
            .map_err(Error::vulkan("vkBindImageMemory", info.name))?;
        memory.bound(info.name);
        let view = create_view(device, *raw, info.format, info.name)?;
        Ok(Image { view, raw, _memory: memory })
    }

    /// A reference to this image by its name in the journal, for a barrier or an attachment.
    pub fn reference(&self, resource: Resource) -> ImageRef {
        ImageRef::color(*self.raw, *self.view, resource)
    }
}

pub(super) fn create_view(
    device: &Arc<Device>,
    image: vk::Image,
    format: Format,
    name: &str,
) -> Result<Owned<vk::ImageView>> {
    let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let create = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range.level_count(vk::REMAINING_MIP_LEVELS).layer_count(1));
    // SAFETY: the image belongs to this device and has memory.
    let made = unsafe { device.raw.create_image_view(&create, None) };
    device.owned("vkCreateImageView", name, made, ash::Device::destroy_image_view)
}

/// A sampler with linear filtering between texels and levels, clamped to the edge.
pub(super) fn create_sampler(device: &Arc<Device>, name: &str) -> Result<Owned<vk::Sampler>> {
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
    let made = unsafe { device.raw.create_sampler(&create, None) };
    device.owned("vkCreateSampler", name, made, ash::Device::destroy_sampler)
}
