//! The program's error type, and its exit statuses.

use std::path::PathBuf;

/// Shorthand for a result of this program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with the operation and the object that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the engine.
    #[error(transparent)]
    Engine(starlings::Error),
    /// A system to be timed gives wrong results.
    #[error("{0}")]
    Gate(String),
    /// A plot could not be drawn.
    #[error("drawing the plot failed: {0}")]
    Plot(String),
    /// The system cannot close a sandbox around this program.
    #[error("no sandbox, so nothing was done: {0}")]
    NoSandbox(String),
    /// There is no display to open a window on.
    #[error("no display: {0}")]
    NoDisplay(String),
    /// An output file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// An output file already exists, and was not to be replaced.
    #[error("cannot write {}: it is already there; --force replaces it", .0.display())]
    Exists(PathBuf),
    /// The command line, or a file that it names, cannot be used.
    #[error("{0}")]
    Input(String),
    /// Ctrl-C, or a signal like it.
    #[error("interrupted")]
    Interrupted,
    /// A panic of this program or of a library: where it happened, and why.
    #[error("this program has a defect: {0}")]
    Panic(String),
    /// A panic of a library: what it is, and why.
    #[error("{0}")]
    Library(String),
    /// A run with every dependency in place showed damage.
    #[error("the intact run shows damage, so this program or this device is at fault: {0}")]
    Damaged(String),
    /// A dependency of the frame is missing or redundant.
    #[error(
        "the frame's synchronization is not proven: {wrong} error(s), {redundant} redundant, {unexplained} in dispute"
    )]
    Unproven {
        /// Errors in the unchanged frames.
        wrong: usize,
        /// Dependencies and bits that are not needed.
        redundant: usize,
        /// Mutants about which layer and checker disagree.
        unexplained: usize,
    },
    /// An exercise was answered, but not rightly.
    #[error("the answer to exercise {0} is not right yet")]
    Answer(usize),
    /// The validation layer reported messages in a run that allows none.
    #[error("the validation layer reported {0} message(s)")]
    Validation(usize),
}

impl From<starlings::Error> for Error {
    fn from(error: starlings::Error) -> Error {
        match error {
            // Nothing else requests the token.
            starlings::Error::Cancelled => Error::Interrupted,
            error => Error::Engine(error),
        }
    }
}

/// The text with control characters written as escapes, and those that turn the direction of writing, so that it can
/// neither steer a terminal nor look like another. Lines stay.
pub fn printable(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || turns(c);
    text.chars().map(|c| if steers(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// The text without the numbers of the system's errors, which follow their words.
pub fn plain(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.parse::<i32>().is_ok() => out += rest,
            _ => out = out + " (os error " + part,
        }
    }
    out
}

impl Error {
    /// The flag `name`, without its dashes, or the setting of that name has a value that cannot be used.
    pub fn flag(name: &str, value: impl ToString, accepted: impl Into<String>) -> Error {
        starlings::Error::setting(name, value, accepted).into()
    }

    /// The error of the engine, if it is one.
    pub fn engine(&self) -> Option<&starlings::Error> {
        if let Error::Engine(error) = self { Some(error) } else { None }
    }

    /// Whether a window has lost its surface, which can be recreated.
    pub fn is_surface_lost(&self) -> bool {
        self.engine().is_some_and(starlings::Error::is_surface_lost)
    }

    /// Whether the device was lost: nothing can be done with it any more.
    pub fn is_device_lost(&self) -> bool {
        self.engine().is_some_and(starlings::Error::is_device_lost)
    }

    /// Whether there is no memory for an object, so that the device may go on without it.
    pub fn is_out_of_memory(&self) -> bool {
        self.engine().is_some_and(starlings::Error::is_out_of_memory)
    }

    /// The program's exit status for this error: 2 usage, 3 the machine lacks something or its Vulkan device fails, 4
    /// output cannot be written, 130 interrupted, 1 everything else.
    pub fn exit_code(&self) -> u8 {
        use starlings::Error as Engine;
        match self {
            Error::Engine(Engine::Setting { .. } | Engine::Environment { .. } | Engine::Input(_)) | Error::Input(_) => {
                2
            }
            Error::Engine(Engine::Capture(_)) | Error::Output { .. } | Error::Exists(_) => 4,
            Error::Engine(Engine::Window { .. } | Engine::Unsynchronized(_)) => 1,
            Error::Engine(_) | Error::NoDisplay(_) | Error::NoSandbox(_) => 3,
            Error::Interrupted => 130,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_steers_no_terminal_and_has_no_error_numbers() {
        assert_eq!(printable("a\u{1b}[31m\u{202e}\u{9b}b\tc\nd"), "a\\u{1b}[31m\\u{202e}\\u{9b}b\tc\nd");
        assert_eq!(plain("a: No such file (os error 2); b (os error 17) (c)"), "a: No such file; b (c)");
        assert_eq!(plain("a (os error x) b (os error 2"), "a (os error x) b (os error 2");
    }
}
