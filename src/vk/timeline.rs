//! A common time axis for host and device, for traces.
//!
//! Times are reported as [`tracing`] spans and events of the target [`TARGET`], at the level `TRACE`: the host's work
//! as spans, and each pass, once its frame is done, as an event with its times on the device. Without a subscriber for
//! the target, nothing is measured for it. Times are nanoseconds since [`start`].

use std::sync::LazyLock;
use std::time::Instant;

/// Target of the spans and events that make up a trace.
pub const TARGET: &str = "starlings::timeline";

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Starts the clock, unless it has started.
pub fn start() {
    LazyLock::force(&START);
}

/// Nanoseconds since [`start`].
pub fn now() -> u64 {
    START.elapsed().as_nanos() as u64
}

/// Whether a subscriber is interested in the target.
pub(super) fn wanted() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::TRACE)
}
