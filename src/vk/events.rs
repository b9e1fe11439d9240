//! Events of a frame slot, by which a dependency can be recorded instead of by a barrier: to compare what the two cost.

use super::barrier::Stage;
use super::device::Device;
use super::fault::Fault;
use super::flights::TimedPass;
use super::owned::Owned;
use super::recorder::Recorder;
use crate::error::{Error, Result};
use ash::vk;
use std::sync::Arc;

/// Events, each used at most once in a recording.
pub(super) struct Events {
    all: Vec<Owned<vk::Event>>,
    used: usize,
}

impl Events {
    /// So many events.
    pub fn new(device: &Arc<Device>, name: &str, count: usize) -> Result<Events> {
        let make = |index| {
            // SAFETY: the device is alive.
            let made = unsafe { device.raw.create_event(&vk::EventCreateInfo::default(), None) };
            device.owned("vkCreateEvent", &format!("{name} event {index}"), made, ash::Device::destroy_event)
        };
        Ok(Events { all: (0..count).map(make).collect::<Result<_>>()?, used: 0 })
    }

    /// Makes all of them unsignaled, when the device is done with the recording that used them.
    pub fn reset(&mut self) -> Result<()> {
        for event in &self.all[..self.used] {
            // SAFETY: the event belongs to this device, which is done with it.
            unsafe { event.device.raw.reset_event(**event) }.map_err(Error::vulkan("vkResetEvent", "event"))?;
        }
        self.used = 0;
        Ok(())
    }

    /// One that this recording has not used yet, if there is any left.
    pub fn take(&mut self) -> Option<vk::Event> {
        let event = self.all.get(self.used)?;
        self.used += 1;
        Some(**event)
    }
}

impl<'a> Recorder<'a> {
    pub(super) fn with_events(mut self, events: &'a mut Events) -> Self {
        self.events = Some(events);
        self
    }

    pub(super) fn by_event(&self, name: &str) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::Event(wanted) if wanted == name))
    }

    /// Records a barrier, or an event in its place.
    pub(super) fn order(&mut self, info: &vk::DependencyInfo<'_>, by_event: bool) {
        let event = self.events.as_mut().filter(|_| by_event).and_then(|events| events.take());
        // SAFETY: the commands are being recorded outside a rendering; images and event are alive, and the event is unsignaled.
        unsafe {
            match event {
                None => self.device.raw.cmd_pipeline_barrier2(self.commands, info),
                Some(event) => {
                    self.device.raw.cmd_set_event2(self.commands, event, info);
                    self.device.raw.cmd_wait_events2(self.commands, &[event], std::slice::from_ref(info));
                }
            }
        }
    }

    /// Records what `body` does, timed as a whole under this name instead of pass by pass: timestamps between passes
    /// make a device wait.
    pub fn timed_as_one(&mut self, name: &'static str, body: impl FnOnce(&mut Self)) {
        let mut stamps = self.timestamps.take();
        let (pass, all) = (TimedPass { name, step: None }, Stage::ALL_COMMANDS);
        let query = stamps.as_mut().and_then(|stamps| stamps.begin(self.commands, pass, all));
        body(self);
        if let (Some(query), Some(stamps)) = (query, stamps.as_mut()) {
            stamps.end(self.commands, query, all);
        }
        self.timestamps = stamps;
    }
}
