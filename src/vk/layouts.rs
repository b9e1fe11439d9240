//! Layouts of descriptor sets and of pipelines. Each is created once and kept as long as the device, so that the
//! kernels of a second flock have the same layouts as the first: some drivers (SwiftShader) find a kernel in the
//! pipeline cache only with the same layout object.

use crate::error::Result;
use ash::vk;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// The stages that access a binding.
pub use ash::vk::ShaderStageFlags as ShaderStages;

/// One binding of a [`SetLayout`](super::descriptors::SetLayout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Its number.
    pub index: u32,
    /// Its kind of descriptor.
    pub kind: vk::DescriptorType,
    /// Stages that access it.
    pub stages: ShaderStages,
}

impl Binding {
    /// A storage buffer.
    pub fn storage(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::STORAGE_BUFFER, stages }
    }

    /// An image with its sampler.
    pub fn sampled(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, stages }
    }

    /// A uniform buffer whose offset is given when the set is bound.
    pub fn dynamic_uniform(index: u32, stages: ShaderStages) -> Self {
        Binding { index, kind: vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, stages }
    }
}

/// Pipelines with equal keys share a layout. The name is included because profilers show it.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub name: String,
    pub sets: Vec<vk::DescriptorSetLayout>,
    pub push_bytes: u32,
    pub stages: ShaderStages,
}

/// Layouts created so far, by their keys.
pub(super) type Made<K, T> = Mutex<HashMap<K, T>>;

/// Every layout of a device.
#[derive(Default)]
pub(super) struct Layouts {
    /// By name and bindings.
    pub sets: Made<(String, Vec<Binding>), vk::DescriptorSetLayout>,
    pub pipelines: Made<PipelineKey, vk::PipelineLayout>,
}

/// The layout of `key`, created by `make` if there is none yet.
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
    /// They were created from `device`, and all objects created with them are destroyed.
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
