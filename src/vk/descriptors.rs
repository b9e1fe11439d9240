//! Descriptor set layouts and sets. One descriptor per binding, and no arrays, whose accesses the validation layer does
//! not track.

use super::buffer::Buffer;
use super::device::Device;
use super::image::{Image, create_sampler};
use super::layouts::{Binding, ShaderStages, get_or};
use super::owned::Owned;
use crate::error::Result;
use ash::vk;
use barrier_proof::Bytes;
use std::sync::Arc;

/// The layout of a descriptor set. Its device owns it.
pub struct SetLayout {
    pub(super) raw: vk::DescriptorSetLayout,
    bindings: Vec<Binding>,
}

impl SetLayout {
    /// The layout of `bindings`.
    pub fn new(device: &Arc<Device>, name: &str, bindings: &[Binding]) -> Result<Self> {
        let raw = get_or(&device.layouts.sets, (name.to_owned(), bindings.to_vec()), |_| {
            let described: Vec<_> = bindings
                .iter()
                .map(|b| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(b.index)
                        .descriptor_type(b.kind)
                        .descriptor_count(1)
                        .stage_flags(b.stages)
                })
                .collect();
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&described);
            // SAFETY: the device is alive and `create` is complete.
            let made = unsafe { device.raw.create_descriptor_set_layout(&create, None) };
            device.made("vkCreateDescriptorSetLayout", name, made)
        })?;
        Ok(SetLayout { raw, bindings: bindings.to_vec() })
    }
}

/// A buffer and its binding.
#[derive(Clone, Copy)]
pub struct Descriptor<'a> {
    /// The binding.
    pub binding: Binding,
    /// The buffer.
    pub buffer: &'a Buffer,
    /// Bytes visible to the shader, from the buffer's start (plus the dynamic offset, if it has one).
    pub range: u64,
}

impl<'a> Descriptor<'a> {
    /// The whole of `buffer`, as a storage buffer.
    pub fn storage(index: u32, stages: ShaderStages, buffer: &'a Buffer) -> Self {
        Descriptor { binding: Binding::storage(index, stages), buffer, range: buffer.size() }
    }

    /// A `T` in `buffer`, as a uniform buffer whose offset is given when the set is bound.
    pub fn dynamic_uniform<T>(index: u32, stages: ShaderStages, buffer: &'a Buffer) -> Self {
        Descriptor { binding: Binding::dynamic_uniform(index, stages), buffer, range: size_of::<T>() as u64 }
    }
}

/// A descriptor set with its own pool.
pub struct DescriptorSet {
    pub(super) raw: vk::DescriptorSet,
    /// Uniform buffers whose offset is given when the set is bound, by their binding: the bytes from offset 0 on.
    pub(super) dynamic: Vec<Bytes>,
    /// Storage buffers that the host can read.
    pub(super) mapped: Vec<Bytes>,
    _pool: Owned<vk::DescriptorPool>,
    _sampler: Option<Owned<vk::Sampler>>,
}

impl DescriptorSet {
    /// Makes a set of one image with its own sampler, and the set's layout. The image must have the layout
    /// [`SHADER_READ_ONLY_OPTIMAL`](super::Layout::SHADER_READ_ONLY_OPTIMAL) when the set is used.
    pub fn sampling(device: &Arc<Device>, name: &str, binding: Binding, image: &Image) -> Result<(SetLayout, Self)> {
        let layout = SetLayout::new(device, name, &[binding])?;
        let mut set = DescriptorSet::empty(device, name, &layout)?;
        let sampler = create_sampler(device, name)?;
        let info = [vk::DescriptorImageInfo::default()
            .sampler(*sampler)
            .image_view(*image.view)
            .image_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set.raw)
            .dst_binding(binding.index)
            .descriptor_type(binding.kind)
            .image_info(&info);
        // SAFETY: the image is alive, and the caller keeps it alive while the set is used.
        unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
        set._sampler = Some(sampler);
        Ok((layout, set))
    }

    /// Makes a set that binds `resources`, and its layout.
    pub fn with_layout(device: &Arc<Device>, name: &str, resources: &[Descriptor<'_>]) -> Result<(SetLayout, Self)> {
        let bindings: Vec<Binding> = resources.iter().map(|resource| resource.binding).collect();
        let layout = SetLayout::new(device, name, &bindings)?;
        let set = DescriptorSet::new(device, name, &layout, resources)?;
        Ok((layout, set))
    }

    /// Makes a set of `layout` that binds `resources`, and leaves its other bindings empty.
    pub fn new(device: &Arc<Device>, name: &str, layout: &SetLayout, resources: &[Descriptor<'_>]) -> Result<Self> {
        let mut set = DescriptorSet::empty(device, name, layout)?;
        for of in resources {
            let bytes = || of.buffer.bytes(0, of.range);
            match of.binding.kind {
                vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC => set.dynamic.push(bytes()),
                _ if of.buffer.is_mapped() => set.mapped.push(bytes()),
                _ => {}
            }
        }
        let info = |r: &Descriptor<'_>| [vk::DescriptorBufferInfo::default().buffer(r.buffer.handle()).range(r.range)];
        let infos: Vec<_> = resources.iter().map(info).collect();
        let write = vk::WriteDescriptorSet::default().dst_set(set.raw);
        let writes: Vec<_> = resources
            .iter()
            .zip(&infos)
            .map(|(r, info)| write.dst_binding(r.binding.index).descriptor_type(r.binding.kind).buffer_info(info))
            .collect();
        // SAFETY: the buffers are alive, and the caller keeps them alive while the set is used.
        unsafe { device.raw.update_descriptor_sets(&writes, &[]) };
        Ok(set)
    }

    /// A set of `layout` that binds nothing yet.
    fn empty(device: &Arc<Device>, name: &str, layout: &SetLayout) -> Result<Self> {
        let sizes: Vec<_> =
            layout.bindings.iter().map(|b| vk::DescriptorPoolSize::default().ty(b.kind).descriptor_count(1)).collect();
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device is alive and `create` is complete.
        let made = unsafe { device.raw.create_descriptor_pool(&create, None) };
        let pool = device.owned("vkCreateDescriptorPool", name, made, ash::Device::destroy_descriptor_pool)?;
        let layouts = [layout.raw];
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(*pool).set_layouts(&layouts);
        // SAFETY: the pool was sized for exactly this layout.
        let sets = unsafe { device.raw.allocate_descriptor_sets(&allocate) };
        let raw = device.made("vkAllocateDescriptorSets", name, sets.map(|sets| sets[0]))?;
        Ok(DescriptorSet { raw, dynamic: Vec::new(), mapped: Vec::new(), _pool: pool, _sampler: None })
    }
}
