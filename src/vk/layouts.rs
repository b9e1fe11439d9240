//! Layouts of descriptor sets and of pipelines: each is made once and kept as long as the device, so that the kernels of a second
//! flock have those of the first.
//!
//! Some drivers know a kernel again only by the layout that it was built with (SwiftShader does): to them the second flock's
//! kernels would be new ones, whatever the pipeline cache holds.

use super::descriptors::{Binding, SetLayout};
use super::device::Device;
use crate::error::Result;
use ash::vk;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What makes two sets' layouts the same, name included: profilers show it.
#[derive(PartialEq, Eq, Hash)]
struct SetKey {
    name: String,
    bindings: Vec<Binding>,
}

/// What makes two pipelines' layouts the same.
#[derive(PartialEq, Eq, Hash)]
struct PipelineKey {
    name: String,
    sets: Vec<vk::DescriptorSetLayout>,
    push_bytes: u32,
    stages: vk::ShaderStageFlags,
}

/// Every layout of a device.
#[derive(Default)]
pub(super) struct Layouts {
    sets: Mutex<HashMap<SetKey, vk::DescriptorSetLayout>>,
    pipelines: Mutex<HashMap<PipelineKey, vk::PipelineLayout>>,
}

impl Layouts {
    /// The layout of sets of `bindings`.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the layout.
    pub fn of_set(&self, device: &Device, name: &str, bindings: &[Binding]) -> Result<vk::DescriptorSetLayout> {
        let key = SetKey { name: name.to_owned(), bindings: bindings.to_vec() };
        let mut made = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = made.get(&key) {
            return Ok(*layout);
        }
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
        let layout = unsafe { device.raw.create_descriptor_set_layout(&create, None) }
            .map_err(|r| device.error("vkCreateDescriptorSetLayout", name, r))?;
        device.name(layout, name);
        made.insert(key, layout);
        Ok(layout)
    }

    /// The layout of the pipeline `name`, in which `stages` see `sets` and `push_bytes` bytes of push constants.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the pipeline.
    pub fn of_pipeline(
        &self,
        device: &Device,
        name: &str,
        sets: &[&SetLayout],
        push_bytes: u32,
        stages: vk::ShaderStageFlags,
    ) -> Result<vk::PipelineLayout> {
        let sets: Vec<_> = sets.iter().map(|set| set.raw).collect();
        let key = PipelineKey { name: name.to_owned(), sets, push_bytes, stages };
        let mut made = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = made.get(&key) {
            return Ok(*layout);
        }
        let push = [vk::PushConstantRange::default().stage_flags(stages).size(push_bytes)];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&key.sets);
        if push_bytes > 0 {
            create = create.push_constant_ranges(&push);
        }
        // SAFETY: the set layouts belong to this device, which keeps them.
        let layout = unsafe { device.raw.create_pipeline_layout(&create, None) }
            .map_err(|r| device.error("vkCreatePipelineLayout", name, r))?;
        device.name(layout, name);
        made.insert(key, layout);
        Ok(layout)
    }

    /// Destroys them all.
    ///
    /// # Safety
    /// `device` is the one they were made from, and nothing that was made with them is left.
    pub unsafe fn destroy(&mut self, device: &ash::Device) {
        for (_, layout) in self.pipelines.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            // SAFETY: made from this device, destroyed once.
            unsafe { device.destroy_pipeline_layout(layout, None) };
        }
        for (_, layout) in self.sets.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            // SAFETY: made from this device, destroyed once.
            unsafe { device.destroy_descriptor_set_layout(layout, None) };
        }
    }
}
