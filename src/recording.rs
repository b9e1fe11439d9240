//! How a frame is recorded, whoever drives it: the host writes what the frame reads of it, then records the commands. Each is
//! a span of a trace.

use crate::error::Result;
use crate::vk::{FrameSlot, Journal, RecordOptions, Recorder, timeline};

/// Lets `write` fill what a frame reads of the host, once the device is done with the frame that last used its slot.
pub(crate) fn host_write<T>(write: impl FnOnce() -> T) -> T {
    let _span = tracing::trace_span!(target: timeline::TARGET, "host write").entered();
    write()
}

/// Records a frame's `commands` into `slot`, and submits nothing. Gives the journal, if `options` ask for one.
pub(crate) fn record(
    slot: &mut FrameSlot,
    options: RecordOptions<'_>,
    commands: impl FnOnce(&mut Recorder<'_>),
) -> Result<Option<Journal>> {
    let _span = tracing::trace_span!(target: timeline::TARGET, "record").entered();
    let mut rec = slot.begin(options)?;
    commands(&mut rec);
    rec.finish()
}
