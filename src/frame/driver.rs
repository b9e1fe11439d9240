//! A frame on its way to the device, in the order that all who run frames keep: wait for the slot's last frame, write
//! the input, record the commands, submit them. Each is a span of a trace.

use crate::error::Result;
use crate::vk::{Acquired, FrameSlot, FrameSlots, Journal, RecordOptions, Recorder, Stage, Swapchain, timeline};
use tracing::span::EnteredSpan;

/// A frame that has its slot to itself until it is submitted.
pub struct OpenFrame<'a> {
    slot: &'a mut FrameSlot,
    index: usize,
    span: EnteredSpan,
}

impl<'a> OpenFrame<'a> {
    /// Takes the next slot, once the device has finished the last frame in it.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost.
    pub fn begin(slots: &'a mut FrameSlots) -> Result<OpenFrame<'a>> {
        let span = tracing::trace_span!(target: timeline::TARGET, "frame").entered();
        let index = slots.next_index();
        Ok(OpenFrame { slot: slots.next()?, index, span })
    }

    /// The index of its slot.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Asks for the image that it is presented in.
    ///
    /// # Errors
    /// As [`FrameSlot::acquire`].
    pub fn acquire(&self, swapchain: &Swapchain) -> Result<Acquired> {
        self.slot.acquire(swapchain)
    }

    /// Runs `write`, which fills the input of its slot.
    pub fn write<T>(&self, write: impl FnOnce(usize) -> T) -> T {
        let _span = tracing::trace_span!(target: timeline::TARGET, "host write").entered();
        write(self.index)
    }

    /// Records its `commands`. Returns the journal, if `options` ask for one.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is out of memory.
    pub fn record(
        &mut self,
        options: RecordOptions<'_>,
        commands: impl FnOnce(&mut Recorder<'_>),
    ) -> Result<Option<Journal>> {
        record(self.slot, options, commands)
    }

    /// Submits it, to be presented in the image of that index, if any, which is waited for in that stage. Returns the
    /// frame's span, which ends when it is dropped.
    ///
    /// # Errors
    /// As [`FrameSlot::submit`].
    pub fn submit(self, present: Option<(&Swapchain, u32, Stage)>) -> Result<EnteredSpan> {
        self.slot.submit(present)?;
        Ok(self.span)
    }
}

/// Records a frame's `commands` into `slot` without submitting them. Returns the journal, if `options` ask for one.
pub fn record(
    slot: &mut FrameSlot,
    options: RecordOptions<'_>,
    commands: impl FnOnce(&mut Recorder<'_>),
) -> Result<Option<Journal>> {
    let _span = tracing::trace_span!(target: timeline::TARGET, "record").entered();
    let mut rec = slot.begin(options)?;
    commands(&mut rec);
    rec.finish()
}
