//! Ctrl-C: commands that write files end without leaving partial files.

use super::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// After this, the first Ctrl-C, SIGTERM or SIGHUP only makes [`check`] fail; the second ends the program, even if a driver
/// hangs.
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

/// Fails once the user has interrupted the program.
pub fn check() -> Result<(), Failure> {
    if ASKED.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
