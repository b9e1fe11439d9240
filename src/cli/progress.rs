//! A progress bar on terminals.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar of `total` units called `unit`, e.g. `frames`; hidden unless stderr is a terminal. It vanishes when
/// it is dropped, so that the last line is what the command has to say.
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows the bar.
    pub fn new(total: u64, unit: &'static str, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} {msg}, {per_sec}, {eta} left")
            .expect("the template is well-formed: every run on a terminal shows it")
            .progress_chars("━╸ ");
        bar.set_style(style);
        bar.set_message(unit);
        Progress(bar)
    }

    /// Counts `units` more as done.
    pub fn add(&self, units: u64) {
        self.0.inc(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
