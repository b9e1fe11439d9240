//! Reading a config file: a layer of settings between a preset and the command line.
//!
//! The parser of the flag of the same name reads each value. Errors are reported with line and column.

use crate::cli::flags::{FLAGS, Kind};
use crate::cli::flight::{self, Flown};
use crate::cli::look::DrawnArgs;
use crate::export::words;
use crate::{Error, Result};
use clap::{Args, Command, FromArgMatches};
use starlings::input::Bounded;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Largest config file in bytes, with its flight: a device or a picture given by mistake must not fill the memory.
pub const MOST_BYTES: u64 = 16 << 20;

/// Characters of a value that a message quotes.
const MOST_LETTERS: usize = 60;

/// A config file with only known keys and values that their flags accept.
#[derive(Debug)]
pub struct ConfigFile {
    source: Source,
    /// Where the value of each key stands.
    places: Vec<(&'static str, Range<usize>)>,
    /// The values of the keys. A command ignores those that it does not use, so one file serves all commands.
    pub values: DrawnArgs,
    pub flight: Option<Flown>,
}

impl ConfigFile {
    pub fn read(path: &Path, flag: &str) -> Result<ConfigFile> {
        Self::parsed(Source::read(path, flag)?)
    }

    /// The config `text` that the file at `path` holds.
    pub fn of_text(path: &Path, text: String) -> Result<ConfigFile> {
        Self::parsed(Source { path: path.to_owned(), text })
    }

    fn parsed(source: Source) -> Result<ConfigFile> {
        let (entries, flight) = entries(&source)?;
        let (places, flags): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let sizes = places.iter().filter(|(name, _)| ["density", "world-size"].contains(name));
        if let [(one, _), (other, place)] = sizes.collect::<Vec<_>>()[..] {
            return Err(source.fault(place.start, &format!("{one} cannot be given together with {other}")));
        }
        Ok(ConfigFile { values: parse(&flags)?, source, places, flight })
    }

    /// Adds the place of the value to a failure caused by the file.
    pub fn place(&self, error: Error) -> Error {
        let Error::Engine(starlings::Error::Setting { name, value, accepted }) = error else { return error };
        let name = name.replace('_', "-");
        let text = format!("{name} is {value}; accepted is {accepted}");
        // An axis may follow the setting's name.
        match self.places.iter().find(|(key, _)| name.split(' ').next() == Some(key)) {
            Some((_, place)) => self.source.fault(place.start, &text),
            None => Error::Input(format!("{}: {text}", self.source.path.display())),
        }
    }
}

/// A key of the file with its place, and the flag that it stands for.
type Entry = ((&'static str, Range<usize>), String);

/// The flags that the config `text` stands for, each with its value behind a `=`.
pub fn flags_of(text: String) -> Result<Vec<String>> {
    let source = Source { path: PathBuf::new(), text };
    Ok(entries(&source)?.0.into_iter().map(|(_, flag)| flag).collect())
}

fn entries(source: &Source) -> Result<(Vec<Entry>, Option<Flown>)> {
    let table = DeTable::parse(&source.text).map_err(|error| syntax(source, &error))?;
    let (flights, mut entries): (Vec<_>, Vec<_>) =
        table.get_ref().iter().partition(|(name, _)| **name.get_ref() == *flight::TABLE);
    entries.sort_by_key(|(name, _)| name.span().start);
    let flag = |(name, value): &(&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &Spanned<std::borrow::Cow<'_, str>> = name;
        let key = FLAGS.iter().find(|key| key.name == **name.get_ref());
        let key = key.ok_or_else(|| unknown(source, name.span().start, name.get_ref()))?;
        let refused = || {
            let (place, said) = quote(source, value);
            source.fault(place, &format!("{} is {said}; accepted is {}", key.name, key.accepted))
        };
        let text = written(key.kind, value.get_ref()).ok_or_else(refused)?;
        let flag = format!("--{}={text}", key.name);
        parse(std::slice::from_ref(&flag)).map_err(|_| refused())?;
        Ok(((&*key.name, value.span()), flag))
    };
    let keys = entries.iter().map(flag).collect::<Result<_>>()?;
    let flight = flights.first().map(|(_, table)| flight::read(table, |at, what| source.fault(at, what)));
    Ok((keys, flight.transpose()?))
}

/// What the flags of a command line hold.
pub fn parse(flags: &[String]) -> Result<DrawnArgs, clap::Error> {
    // Made once and kept: the flags of a file are parsed one by one, and to make the definition of all takes longer
    // than to parse one.
    static COMMAND: LazyLock<Mutex<Command>> =
        LazyLock::new(|| Mutex::new(DrawnArgs::augment_args(Command::new("config").no_binary_name(true))));
    let matches = COMMAND.lock().unwrap_or_else(PoisonError::into_inner).try_get_matches_from_mut(flags)?;
    DrawnArgs::from_arg_matches(&matches)
}

/// A value in the syntax of its flag; none if its type is wrong.
pub fn written(kind: Kind, value: &DeValue<'_>) -> Option<String> {
    match kind {
        Kind::Name => value.as_str().map(str::to_owned),
        Kind::Switch => value.as_bool().map(|on| on.to_string()),
        Kind::Number => match value {
            DeValue::Integer(whole) if whole.radix() == 10 => Some(whole.as_str().trim_start_matches('+').to_owned()),
            DeValue::Integer(whole) => u64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|n| n.to_string()),
            DeValue::Float(real) => Some(real.as_str().trim_start_matches('+').to_owned()),
            _ => None,
        },
        Kind::Vector(between) => {
            let numbers = value.as_array()?.iter().map(|number| written(Kind::Number, number.get_ref()));
            Some(numbers.collect::<Option<Vec<_>>>()?.join(&between.to_string()))
        }
        Kind::NumberOrVector(between) => written(Kind::Number, value).or_else(|| written(Kind::Vector(between), value)),
    }
}

/// What the file says for a value, and where it begins.
fn quote(source: &Source, value: &Spanned<DeValue<'_>>) -> (usize, String) {
    let text = source.text.get(value.span()).unwrap_or_default();
    let mut letters: String = text.chars().take(MOST_LETTERS).collect();
    if letters.len() < text.len() {
        letters.push('…');
    }
    let said = match value.get_ref() {
        DeValue::Integer(_) | DeValue::Float(_) => letters,
        // Its syntax varies: a heading, a dotted key, or braces.
        DeValue::Table(_) => "a table".to_owned(),
        other => format!("{letters} ({})", other.type_str()),
    };
    (value.span().start, said)
}

fn unknown(source: &Source, start: usize, name: &str) -> Error {
    // Names differ by as many letters as one is longer, so that a name much longer than every key is compared with
    // none.
    let letters = name.chars().count();
    let comparable = FLAGS.iter().filter(|key| letters <= key.name.len() + key.name.len() / 2);
    let near = comparable.map(|key| (strsim::damerau_levenshtein(name, &key.name), &key.name)).min();
    let hint = match near {
        Some((distance, near)) if distance <= near.len() / 2 => format!("did you mean '{near}'?"),
        _ => "`starlings config` prints all keys".to_owned(),
    };
    source.fault(start, &format!("there is no key '{name}'; {hint}"))
}

fn syntax(source: &Source, error: &toml::de::Error) -> Error {
    let span = error.span().unwrap_or(0..0);
    let text = match error.message() {
        "duplicate key" => {
            format!("the key '{}' is given twice; accepted is once", source.text.get(span.clone()).unwrap_or_default())
        }
        message => format!("this is not TOML: {message}"),
    };
    source.fault(span.start, &text)
}

/// A file's text, and where it came from.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    fn read(path: &Path, flag: &str) -> Result<Source> {
        let fail = |reason: String| {
            let accepted = format!("a file like the one that `starlings config` prints: {reason}");
            Error::flag(flag, format!("'{}'", path.display()), accepted)
        };
        if path.is_dir() {
            return Err(fail("this is a folder".into()));
        }
        let bytes = Bounded::new(MOST_BYTES).stream(path).map_err(|error| fail(words(error)))?;
        String::from_utf8(bytes).map(|text| Source { path: path.to_owned(), text }).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
            Source { path: path.to_owned(), text }.fault(good, "this is not UTF-8, which TOML requires")
        })
    }

    /// The failure `what` at byte `at`.
    fn fault(&self, at: usize, what: &str) -> Error {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let (row, column) = (before.matches('\n').count() + 1, line.chars().count() + 1);
        Error::Input(format!("{}:{row}:{column}: {what}", self.path.display()))
    }
}
