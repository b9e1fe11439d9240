//! What the program prints, and where it writes.

use super::failure::Failure;
use clap::Args;
use starlings::Error;
use starlings::export::Existing;
use std::io::{self, Write};

/// Prints to stdout. A reader that has gone away is no failure: `starlings presets | head` ends well.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Output { path: "standard output".into(), reason: e.kind().to_string() }.into())
        }
        _ => Ok(()),
    }
}

/// The options of every command that writes files.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Replace what is already there
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// No progress bar: one line at the end is all
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
