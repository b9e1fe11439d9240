//! A progress bar on terminals.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;

/// A bar over `total` units called `unit`, e.g. `frames`; hidden unless stderr is a terminal. It disappears when
/// dropped.
pub fn progress(total: u64, unit: &'static str, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} {msg}{pace}")
        .expect("the template is well-formed: every run on a terminal shows it")
        .progress_chars("━╸ ")
        .with_key("pace", |state: &ProgressState, out: &mut dyn Write| {
            // The first of many say little about the rest.
            if state.pos() > 0 && 50 * state.pos() > state.len().unwrap_or(0) {
                // Ignored: the terminal may be closed.
                let _ = write!(out, ", {:.1} a second, {} left", state.per_sec(), HumanDuration(state.eta()));
            }
        });
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.with_style(style).with_message(unit)
}
