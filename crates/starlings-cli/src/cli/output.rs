//! What the program prints, and where it writes.

use crate::error::printable;
use crate::export::{Existing, OutputFile, followed};
use crate::{Error, Result};
use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Prints to stdout, on which names of files steer no terminal. A closed pipe is not a failure, as in
/// `starlings presets | head`.
pub fn print(text: &str) -> Result<()> {
    print_raw(&printable(text))
}

fn print_raw(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Output { path: "standard output".into(), reason: e.kind().to_string() })
        }
        _ => Ok(()),
    }
}

/// Prints the help or the version that the user asked for.
pub fn print_help(help: &clap::Error) -> Result<()> {
    let text = help.render();
    let colored = io::stdout().is_terminal() && may_color();
    let text = if colored { text.ansi().to_string() } else { text.to_string() };
    print_raw(text.trim_end())
}

/// Whether the user has not asked for no colors: <https://no-color.org>.
pub fn may_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Opens the output file of `flag`; its name must end in `extension`, by which other programs recognize it.
pub fn create(path: &Path, flag: &str, extension: &str, existing: Existing) -> Result<OutputFile> {
    if path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
        return OutputFile::create(path, existing);
    }
    Err(Error::flag(flag, format!("'{}'", path.display()), format!("a file ending in .{extension}")))
}

/// Refuses a file to be written that is also read, or written by another flag: it would be lost. Each flag is named
/// with its file.
pub fn distinct(written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Result<()> {
    let files = |flags: &[(&'_ str, Option<&Path>)]| -> Vec<(String, PathBuf)> {
        flags.iter().filter_map(|(flag, path)| Some(((*flag).to_owned(), followed((*path)?)))).collect()
    };
    let mut others = files(read);
    for (flag, path) in files(written) {
        if let Some((other, _)) = others.iter().find(|(_, other)| *other == path) {
            // An argument, unlike a flag, is named in capitals.
            let other = if *other == other.to_uppercase() { other.clone() } else { format!("--{other}") };
            return Err(Error::flag(
                &flag,
                format!("'{}'", path.display()),
                format!("a file other than that of {other}"),
            ));
        }
        others.push((flag, path));
    }
    Ok(())
}

/// The options of every command that writes files.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Replace existing files
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// No progress bar, only one line at the end
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

impl OutputArgs {
    /// What to do with files that are already there.
    pub fn existing(&self) -> Existing {
        existing(self.force)
    }
}

/// What `--force` means.
pub fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// `text`, broken between words where a line would get too long, and indented from the second line on; spaces within a
/// line stay.
pub fn broken(text: &str, indent: usize, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_inclusive(' ') {
        let letters = word.trim_end().chars().count();
        if column > indent && column + letters > width {
            out.truncate(out.trim_end().len());
            out += &format!("\n{:indent$}", "");
            column = indent;
        }
        out += word;
        column += word.chars().count();
    }
    out
}

/// A progress bar over `total` units called `unit`, e.g. `frames`; hidden unless stderr is a terminal. It disappears
/// when dropped.
pub fn progress(total: u64, unit: &'static str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} {msg}{pace}")
        .expect("the template is well-formed: every run on a terminal shows it")
        .progress_chars("━╸ ")
        .with_key("pace", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // The first of many say little about the rest.
            if state.pos() > 0 && 50 * state.pos() > state.len().unwrap_or(0) {
                // Ignored: the terminal may be closed.
                let _ = write!(out, ", {:.1} a second, {} left", state.per_sec(), HumanDuration(state.eta()));
            }
        });
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.with_style(style).with_message(unit)
}
