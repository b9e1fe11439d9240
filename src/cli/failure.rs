//! How the program fails: one line on stderr that names the value and what is accepted, and an exit status.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use starlings::Error;
use std::io::Write;
use std::process::ExitCode;

/// Why the program ends early.
#[derive(Debug)]
pub enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// A flag has a value that cannot be used.
    Flag {
        /// The flag's name without its dashes; an axis may follow.
        name: String,
        /// The value given.
        value: String,
        /// What would be accepted, with its unit.
        accepted: String,
    },
    /// An error at run time.
    Run(Error),
    /// Ctrl-C.
    Interrupted,
    /// A panic, of this program or of a library: where it happened, and why.
    Panic(String),
}

/// Replaces the library's names of settings by those of their flags.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Setting { name, value, accepted } => Failure::Flag {
                name: name.replace('_', "-"),
                value,
                accepted: accepted.replace("with engine ", "with --engine "),
            },
            Error::Exists(path) => {
                Failure::Run(Error::Output { path, reason: "it is already there; --force replaces it".into() })
            }
            other => Failure::Run(other),
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Failure::Usage(one_line(&error))
    }
}

impl Failure {
    /// The flag `name`, which is given without its dashes, has a value that cannot be used.
    pub fn flag(name: &str, value: impl ToString, accepted: impl Into<String>) -> Failure {
        Failure::Flag { name: name.into(), value: value.to_string(), accepted: accepted.into() }
    }

    /// The same failure of the argument `name`, which is not a flag.
    #[must_use]
    pub fn of_argument(self, name: &str) -> Failure {
        match self {
            Failure::Flag { value, accepted, .. } => {
                Failure::Usage(format!("{name} is {value}; accepted is {accepted}"))
            }
            other => other,
        }
    }

    /// Prints the message and returns the exit status.
    pub fn report(self) -> ExitCode {
        let status = match &self {
            Failure::Usage(_) | Failure::Flag { .. } => 2,
            Failure::Run(error) => error.exit_code(),
            Failure::Interrupted => 130,
            Failure::Panic(_) => 1,
        };
        // Ignored: stderr may be closed.
        let _ = writeln!(std::io::stderr(), "starlings: {}", self.line());
        ExitCode::from(status)
    }

    /// The message, in one line.
    pub fn line(self) -> String {
        let text = match self {
            Failure::Usage(text) => text,
            Failure::Flag { name, value, accepted } => format!("--{name} is {}; accepted is {accepted}", cut(&value)),
            Failure::Run(error) => error.to_string(),
            Failure::Interrupted => "interrupted".to_owned(),
            Failure::Panic(what) => format!("this program has a defect: {what}"),
        };
        // Drivers and operating systems put line ends into their texts.
        let line: Vec<&str> = text.split_whitespace().collect();
        printable(&brief(&line.join(" ")))
    }
}

/// A text without its middle, if it is long: files may hold names of any length.
fn brief(text: &str) -> String {
    const ENDS: usize = 400;
    let (first, last) = (text.char_indices().nth(ENDS), text.char_indices().nth_back(ENDS - 1));
    match (first, last) {
        (Some((first, _)), Some((last, _))) if first < last => format!("{}…{}", &text[..first], &text[last..]),
        _ => text.to_owned(),
    }
}

/// The text with control characters written as escapes, and those that turn the direction of writing, so that it can neither steer a
/// terminal nor look like another.
fn printable(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let escaped = |c: char| if c.is_control() || turns(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// The value that a user gave, cut where it is long; within its quotation marks, if it has some.
fn cut(value: &str) -> String {
    const LONGEST: usize = 60;
    if let Some(value) = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        return format!("'{}'", cut(value));
    }
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} bytes)", &value[..end], value.len()),
        None => value.to_owned(),
    }
}

/// A message of clap, in one line.
fn one_line(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let flag = cut(&flag(&text(ContextKind::InvalidArg)));
    let value = cut(&text(ContextKind::InvalidValue));
    let accepted = text(ContextKind::ValidValue);
    match error.kind() {
        ErrorKind::ValueValidation => {
            let accepted = std::error::Error::source(error).map_or(String::new(), |accepted| accepted.to_string());
            format!("{flag} is '{value}'; accepted is {accepted}")
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{} has no value", text(ContextKind::InvalidArg)),
        ErrorKind::InvalidValue => format!("{flag} is '{value}'; accepted is one of {accepted}"),
        ErrorKind::UnknownArgument => {
            let hint = match text(ContextKind::SuggestedArg) {
                near if near.is_empty() => "`--help` lists all options".to_owned(),
                near => format!("did you mean '{near}'?"),
            };
            format!("'{flag}' is not known here; {hint}")
        }
        ErrorKind::InvalidSubcommand => {
            let near = text(ContextKind::SuggestedSubcommand);
            let hint = if near.is_empty() { String::new() } else { format!(" (did you mean '{near}'?)") };
            format!(
                "there is no command '{}'; accepted is one of {}{hint}",
                cut(&text(ContextKind::InvalidSubcommand)),
                commands(error)
            )
        }
        ErrorKind::MissingRequiredArgument => format!("{} is missing", text(ContextKind::InvalidArg)),
        ErrorKind::ArgumentConflict => match text(ContextKind::PriorArg) {
            other if other.is_empty() || self::flag(&other) == flag => format!("{flag} is given twice"),
            other => format!("{flag} cannot be given together with {}", self::flag(&other)),
        },
        ErrorKind::TooManyValues => format!("{flag} takes no value"),
        _ => {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    }
}

/// `--boids <COUNT>` → `--boids`.
fn flag(argument: &str) -> String {
    argument.split([' ', '=', '[']).next().unwrap_or_default().to_owned()
}

/// The commands at the place where an unknown one was given: those of `starlings`, or those of one of its commands.
fn commands(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let top = <super::Cli as clap::CommandFactory>::command();
    let place = usage.split_whitespace().find_map(|word| top.find_subcommand(word)).unwrap_or(&top);
    place.get_subcommands().map(|command| command.get_name().to_owned()).collect::<Vec<_>>().join(", ")
}
