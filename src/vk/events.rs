//! Events of a frame slot, by which a dependency can be recorded instead of by a barrier: to compare what the two cost.

use super::device::Device;
use super::owned::Owned;
use crate::error::{Error, Result};
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Events, each used at most once in a recording.
pub(super) struct Events {
    owned: Vec<Owned<vk::Event>>,
    /// Their handles.
    pub all: Vec<vk::Event>,
    /// Those that the last recording used, from the first on.
    pub used: AtomicUsize,
}

impl Events {
    /// So many events.
    pub fn new(device: &Arc<Device>, name: &str, count: usize) -> Result<Events> {
        let make = |index| {
            // SAFETY: the device is alive.
            let made = unsafe { device.raw.create_event(&vk::EventCreateInfo::default(), None) };
            device.owned("vkCreateEvent", &format!("{name} event {index}"), made, ash::Device::destroy_event)
        };
        let owned: Vec<_> = (0..count).map(make).collect::<Result<_>>()?;
        Ok(Events { all: owned.iter().map(|event| **event).collect(), owned, used: AtomicUsize::new(0) })
    }

    /// Makes those unsignaled that were used, when the device is done with the recording.
    pub fn reset(&self) -> Result<()> {
        for event in &self.owned[..self.used.swap(0, Ordering::Relaxed)] {
            // SAFETY: the event belongs to this device, which is done with it.
            unsafe { event.device.raw.reset_event(**event) }.map_err(Error::vulkan("vkResetEvent", "event"))?;
        }
        Ok(())
    }
}
