//! Vulkan objects that are destroyed with their owner.

use super::device::Device;
use crate::error::Result;
use ash::prelude::VkResult;
use ash::vk;
use barrier_proof::HostEvent;
use std::ops::Deref;
use std::sync::Arc;

/// The function that destroys a `T`, such as [`ash::Device::destroy_buffer`].
type Destroy<T> = unsafe fn(&ash::Device, T, Option<&vk::AllocationCallbacks<'_>>);

/// An object. Its owner drops it only when the device no longer uses it.
pub(super) struct Owned<T: Copy> {
    raw: T,
    destroy: Destroy<T>,
    pub device: Arc<Device>,
}

impl<T: Copy> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.raw
    }
}

impl<T: Copy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made from this device, destroyed once; its owner waited until the device no longer uses it.
        unsafe { (self.destroy)(&self.device.raw, self.raw, None) };
    }
}

impl Device {
    /// Names the object that a call created, to be destroyed by `destroy`; or returns an error with the call and the
    /// object's name.
    pub(super) fn owned<T: vk::Handle + Copy>(
        self: &Arc<Self>,
        operation: &'static str,
        name: &str,
        made: VkResult<T>,
        destroy: Destroy<T>,
    ) -> Result<Owned<T>> {
        let raw = self.made(operation, name, made)?;
        self.watch.note(|| HostEvent::Made { object: raw.as_raw() });
        Ok(Owned { raw, destroy, device: self.clone() })
    }

    /// A pool for commands that are recorded again each time.
    pub(super) fn command_pool(self: &Arc<Self>, name: &str) -> Result<Owned<vk::CommandPool>> {
        let create = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(self.queue_family);
        // SAFETY: the device is alive.
        let made = unsafe { self.raw.create_command_pool(&create, None) };
        self.owned("vkCreateCommandPool", name, made, ash::Device::destroy_command_pool)
    }

    /// An unsignaled semaphore.
    pub(super) fn semaphore(self: &Arc<Self>, name: &str) -> Result<Owned<vk::Semaphore>> {
        // SAFETY: the device is alive.
        let made = unsafe { self.raw.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) };
        self.owned("vkCreateSemaphore", name, made, ash::Device::destroy_semaphore)
    }
}
