//! How a script learns of a failure: one line, with the names of settings as scripts write them, and its kind.

use crate::Error;
use crate::cli::failure;

/// What has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What the script asked for cannot be.
    Value,
    /// There is not enough memory for it.
    Memory,
    /// The machine lacks a device, or it has failed.
    Device,
    /// A file cannot be written.
    File,
    /// The script wanted to end.
    Interrupted,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of `error`.
    pub fn of(error: &Error) -> Kind {
        if error.is_out_of_memory() {
            return Kind::Memory;
        }
        match error.exit_code() {
            2 => Kind::Value,
            3 => Kind::Device,
            4 => Kind::File,
            130 => Kind::Interrupted,
            _ => Kind::Other,
        }
    }
}

/// The message of `error` in one line, as the program has it, but with `max_speed` for `--max-speed`.
pub fn line(error: &Error) -> String {
    let text = failure::line(error).replace("; `--help` lists all options", "; starlings.settings() lists all");
    let mut parts = text.split("--");
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letters = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        // A dash before anything else stays.
        line += if letters == 0 { "--" } else { "" };
        line += &part[..letters].replace('-', "_");
        line += &part[letters..];
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_names_that_scripts_write() {
        let refused = Error::flag("max_speed", -1, "a number above 0, or none with --walls none -- at all");
        assert_eq!(line(&refused), "max_speed is -1; accepted is a number above 0, or none with walls none -- at all");
        assert_eq!(Kind::of(&refused), Kind::Value);
        let clap = Error::Input("'--colour' is not known here; `--help` lists all options".into());
        assert_eq!(line(&clap), "'colour' is not known here; starlings.settings() lists all");
    }

    #[test]
    fn kinds_are_those_of_exit_statuses_but_for_memory() {
        let too_large = || starlings::Error::TooLarge { boids: 5, how: String::new(), device: "a".into(), largest: 4 };
        assert_eq!(Kind::of(&too_large().into()), Kind::Memory);
        assert_eq!(Kind::of(&starlings::Error::NoDevice("none".into()).into()), Kind::Device);
        assert_eq!(Kind::of(&Error::Exists("a".into())), Kind::File);
        assert_eq!(Kind::of(&Error::Interrupted), Kind::Interrupted);
    }
}
