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

/// What makes two sets' layouts the same, name included: profilers show it.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct SetKey {
    pub name: String,
    pub bindings: Vec<Binding>,
}

/// What makes two pipelines' layouts the same.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub name: String,
    pub sets: Vec<vk::DescriptorSetLayout>,
    pub push_bytes: u32,
    pub stages: ShaderStages,
}

/// Layouts made so far, each with what makes it the same as another.
pub(super) struct Made<K, T>(Mutex<HashMap<K, T>>);

impl<K: Eq + Hash, T: Copy> Made<K, T> {
    /// The layout that `key` describes, which `make` makes if there is none yet.
    ///
    /// # Errors
    /// That of `make`.
    pub fn get_or(&self, key: K, make: impl FnOnce(&K) -> Result<T>) -> Result<T> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = made.get(&key) {
            return Ok(*layout);
        }
        let layout = make(&key)?;
        made.insert(key, layout);
        Ok(layout)
    }

    fn drain(&mut self) -> impl Iterator<Item = T> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, layout)| layout)
    }
}

impl<K, T> Default for Made<K, T> {
    fn default() -> Self {
        Made(Mutex::default())
    }
}

/// Every layout of a device.
#[derive(Default)]
pub(super) struct Layouts {
    pub sets: Made<SetKey, vk::DescriptorSetLayout>,
    pub pipelines: Made<PipelineKey, vk::PipelineLayout>,
}

impl Layouts {
    /// Destroys them all.
    ///
    /// # Safety
    /// `device` is the one they were made from, and nothing that was made with them is left.
    pub unsafe fn destroy(&mut self, device: &ash::Device) {
        for layout in self.pipelines.drain() {
            // SAFETY: made from this device, destroyed once.
            unsafe { device.destroy_pipeline_layout(layout, None) };
        }
        for layout in self.sets.drain() {
            // SAFETY: made from this device, destroyed once.
            unsafe { device.destroy_descriptor_set_layout(layout, None) };
        }
    }
}
