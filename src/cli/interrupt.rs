//! Signals: a run that is interrupted keeps what it has gathered where it can, and leaves no partial files.

use super::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// After this, the first Ctrl-C, SIGTERM or SIGHUP only makes [`check`] fail. A second Ctrl-C or SIGTERM ends the program, even
/// if a driver hangs; a second SIGHUP does not, because a terminal that is closed sends two.
pub fn install() {
    // Nobody can type Ctrl-C for a program that was started with `nohup` or in the background.
    let ignored = ignored();
    let watched = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let installed: std::io::Result<()> = [SIGINT, SIGTERM].into_iter().filter(watched).try_for_each(|signal| {
        flag::register_conditional_shutdown(signal, 130, ASKED.clone())?;
        flag::register(signal, ASKED.clone())?;
        Ok(())
    });
    #[cfg(unix)]
    let installed = installed.and_then(|()| match signal_hook::consts::SIGHUP {
        hangup if watched(&hangup) => flag::register(hangup, ASKED.clone()).map(drop),
        _ => Ok(()),
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C will end this run without writing anything: {error}");
    }
}

/// After this, a file that would grow beyond the user's limit (`ulimit -f`) is an error of the write, not the end of the program.
pub fn survive_file_limit() {
    #[cfg(unix)]
    if let Err(error) = flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::warn!("a file beyond the limit of `ulimit -f` will end this program: {error}");
    }
}

/// Whether the user has interrupted the program, for those who watch it themselves.
pub fn asked() -> Arc<AtomicBool> {
    ASKED.clone()
}

/// Fails once the user has interrupted the program.
pub fn check() -> Result<(), Failure> {
    if ASKED.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}

/// The signals that were ignored when the program started, one bit each; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
