//! Ctrl-C: commands that write files end in good order, so that nothing half-written stays behind.

use super::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on the first Ctrl-C, SIGTERM or SIGHUP is seen by [`check`] only. The second ends the program
/// at once: a driver that hangs would never let it see the first.
pub fn install() {
    let result = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = result {
        tracing::warn!("Ctrl-C will leave a temporary file behind: {error}");
    }
}

/// Fails once the user has asked for an end.
pub fn check() -> Result<(), Failure> {
    if ASKED.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
