//! Layouts of descriptor sets and of pipelines: each is made once and kept as long as the device, so that the kernels of a second
//! flock have those of the first.
//!
//! Some drivers know a kernel again only by the layout that it was built with (SwiftShader does): to them the second flock's
//! kernels would be new ones, whatever the pipeline cache holds.

use crate::error::Result;
use ash::vk;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Which stages see a binding.
pub use ash::vk::ShaderStageFlags as ShaderStages;

/// One binding of a [`SetLayout`](super::descriptors::SetLayout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Its number.
    pub index: u32,
    /// What is bound there.
    pub kind: vk::DescriptorType,
    /// Stages that see it.
    pub stages: ShaderStages,
}

impl Binding {
    /// A storage buffer.
    pub fn storage(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::STORAGE_BUFFER, stages }
    }

    /// An image with the sampler that it is sampled by.
    pub fn sampled(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, stages }
    }

    /// A uniform buffer whose offset is given when the set is bound.
    pub fn dynamic_uniform(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, stages }
    }
}

/// What makes two pipelines' layouts the same, name included: profilers show it.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub name: String,
    pub sets: Vec<vk::DescriptorSetLayout>,
    pub push_bytes: u32,
    pub stages: ShaderStages,
}

/// Layouts made so far, each under what makes it the same as another.
pub(super) type Made<K, T> = Mutex<HashMap<K, T>>;

/// Every layout of a device.
#[derive(Default)]
pub(super) struct Layouts {
    /// By name and bindings.
    pub sets: Made<(String, Vec<Binding>), vk::DescriptorSetLayout>,
    pub pipelines: Made<PipelineKey, vk::PipelineLayout>,
}

/// The layout that `key` describes, which `make` makes if there is none yet.
pub(super) fn get_or<K: Eq + Hash, T: Copy>(
    made: &Made<K, T>,
    key: K,
    make: impl FnOnce(&K) -> Result<T>,
) -> Result<T> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(layout) = made.get(&key) {
        return Ok(*layout);
    }
    let layout = make(&key)?;
    made.insert(key, layout);
    Ok(layout)
}

impl Layouts {
    /// Destroys them all.
    ///
    /// # Safety
    /// `device` is the one they were made from, and nothing that was made with them is left.
    pub unsafe fn destroy(&mut self, device: &ash::Device) {
        let pipelines = self.pipelines.get_mut().unwrap_or_else(PoisonError::into_inner);
        let sets = self.sets.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: by this function's contract; each is destroyed once.
        unsafe {
            pipelines.drain().for_each(|(_, layout)| device.destroy_pipeline_layout(layout, None));
            sets.drain().for_each(|(_, layout)| device.destroy_descriptor_set_layout(layout, None));
        }
    }
}
