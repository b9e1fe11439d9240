//! Recording of a frame: the host writes the frame's input, then records its commands. Each is a span of a trace.

use crate::error::Result;
use crate::vk::{FrameSlot, Journal, RecordOptions, Recorder, timeline};

/// Runs `write`, which fills a frame's host-written input, after the device has finished the slot's last frame.
pub fn host_write<T>(write: impl FnOnce() -> T) -> T {
    let _span = tracing::trace_span!(target: timeline::TARGET, "host write").entered();
    write()
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
