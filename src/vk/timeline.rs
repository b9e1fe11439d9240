//! One axis of time for host and device, for traces.
//!
//! What happens when is told as [`tracing`] spans and events of the target [`TARGET`], at the level `TRACE`: the host's
//! work as spans, and each pass, once its frame is done, as an event with the times in which the device ran it. Nobody
//! pays for it unless a subscriber wants that target. Times are nanoseconds since [`start`].

use std::sync::LazyLock;
use std::time::Instant;

/// Target of the spans and events that make up a trace.
pub const TARGET: &str = "starlings::timeline";

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Lets time begin, unless it has begun.
pub fn start() {
    LazyLock::force(&START);
}

/// Nanoseconds since [`start`].
pub fn now() -> u64 {
    START.elapsed().as_nanos() as u64
}

/// Whether anybody wants to know.
pub(super) fn wanted() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::TRACE)
}
