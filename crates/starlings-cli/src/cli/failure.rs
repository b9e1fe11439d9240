//! How the program fails: one line on stderr that names the value and what is accepted, and an exit status.

use crate::Error;
use crate::error::{plain, printable};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::io::Write;

impl From<clap::Error> for Error {
    fn from(error: clap::Error) -> Self {
        Error::Input(one_line(&error))
    }
}

/// Prints the message of `error` and returns the exit status.
pub fn report(error: &Error) -> u8 {
    let hint = super::doctor::hint(error).unwrap_or_default();
    // Ignored: stderr may be closed.
    let _ = writeln!(std::io::stderr(), "starlings: {}{}", line(error), printable(&hint));
    error.exit_code()
}

/// The message of `error`, in one line. The engine's names of settings become those of their flags.
pub fn line(error: &Error) -> String {
    let text = match error {
        Error::Engine(starlings::Error::Setting { name, value, accepted }) => {
            let accepted = accepted.replace("with engine ", "with --engine ");
            format!("--{} is {}; accepted is {accepted}", name.replace('_', "-"), cut(value))
        }
        other => other.to_string(),
    };
    // Drivers and operating systems put line ends into their texts.
    let line: Vec<&str> = text.split_whitespace().collect();
    printable(&brief(&plain(&line.join(" "))))
}

/// The same error of the argument `name`, which is not a flag.
pub fn of_argument(name: &str, error: starlings::Error) -> Error {
    match error {
        starlings::Error::Setting { value, accepted, .. } => {
            Error::Input(format!("{name} is {value}; accepted is {accepted}"))
        }
        other => other.into(),
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

/// What other programs call an option, and what it is here.
const OTHER_WORDS: [(&[&str], &str); 8] = [
    (&["--torus", "--periodic", "--wrap"], "--walls wrap"),
    (&["--2d", "--flat"], "--plane"),
    (&["--vision-cone", "--vision-angle", "--blind-angle"], "--view-angle, half of it in degrees"),
    (&["--vision", "--perception", "--range"], "--alignment-radius and --cohesion-radius"),
    (&["--minimum-separation", "--min-separation"], "--separation-radius"),
    (&["--neighbors", "--neighbours", "--knn", "--topological"], "--nearest"),
    (&["--population", "--agents", "--birds", "--particles"], "--boids"),
    (&["--ticks", "--iterations"], "--steps"),
];

fn in_other_words(flag: &str) -> Option<&'static str> {
    OTHER_WORDS.iter().find(|(words, _)| words.contains(&flag)).map(|(_, ours)| *ours)
}

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
            let hint = match (in_other_words(&flag), text(ContextKind::SuggestedArg)) {
                (Some(ours), _) => format!("here it is `{ours}`"),
                (None, near) if near.is_empty() => "`--help` lists all options".to_owned(),
                (None, near) => format!("did you mean '{near}'?"),
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
