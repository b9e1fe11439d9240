//! The flags of a flock and its look, which are also the keys of a config file. Each is one row of [`FLAGS`], from
//! which the command line and the config file are built.

mod help;
mod table;
mod values;

pub use table::{FLAGS, keys};
pub use values::{EDGES, OnPaths, boids};

use super::viewpoint::Viewpoint;
use crate::Result;
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use starlings::flock::{Setting, Settings};
use starlings::render::Look;

/// What a value looks like in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Name,
    /// A boolean.
    Switch,
    /// An integer or a float; the flag decides whether it must be whole.
    Number,
    /// An array of numbers, which this character separates in the flag.
    Vector(char),
    /// A number, or such an array.
    NumberOrVector(char),
}

/// Reads a value as TOML; none where the law does not read it, another key covers it, or the preset's camera decides
/// it.
type Value = Box<dyn Fn(&Settings, &Look, &Viewpoint) -> Option<String> + Send + Sync>;

/// A flag, and the key of the same name.
pub struct Flag {
    /// Its name without dashes in front.
    pub name: String,
    value_name: &'static str,
    /// Its meaning, in one sentence without a period.
    pub about: String,
    /// The same on the command line, with its default.
    help: String,
    /// Its unit, empty for plain numbers and names.
    pub unit: &'static str,
    /// What its value looks like in a config file.
    pub kind: Kind,
    /// What is accepted in a config file, with its unit.
    pub accepted: String,
    parser: ValueParser,
    value: Value,
    heading: &'static str,
}

/// Headings of the help.
const FLOCK: &str = "Flock";
const RULES: &str = "Rules";
const LOOK: &str = "Look";
const CAMERA: &str = "Camera";

/// What a flag describes: the flock, its look, or the camera.
pub const OF_FLOCK: u8 = 0;
pub const OF_LOOK: u8 = 1;
pub const OF_CAMERA: u8 = 2;

impl Flag {
    /// Its value as TOML for a flock, its look and what is said about the camera, if it has one.
    pub fn value(&self, settings: &Settings, look: &Look, viewpoint: &Viewpoint) -> Option<String> {
        (self.value)(settings, look, viewpoint)
    }

    /// Whether it describes a flock, not its look or the camera.
    pub fn is_of_flock(&self) -> bool {
        self.describes() == OF_FLOCK
    }

    fn describes(&self) -> u8 {
        match self.heading {
            LOOK => OF_LOOK,
            CAMERA => OF_CAMERA,
            _ => OF_FLOCK,
        }
    }

    fn arg(&'static self) -> Arg {
        let arg = Arg::new(&*self.name).long(&*self.name).value_name(self.value_name).help(&*self.help);
        let arg = arg.help_heading(self.heading).value_parser(self.parser.clone());
        match (self.kind, &*self.name) {
            (Kind::Switch, _) => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            (_, "world-size") => arg.allow_hyphen_values(true).conflicts_with("density"),
            // The first of all flags of a flock.
            (_, "boids") => arg.allow_hyphen_values(true).display_order(0),
            _ => arg.allow_hyphen_values(true),
        }
    }
}

/// The name of the flag of `setting`, without its dashes.
pub fn flag(setting: Setting) -> String {
    setting.name().replace('_', "-")
}

/// The flags given on a command line or in a config file that describe `WHAT`: [`OF_FLOCK`], [`OF_LOOK`] or
/// [`OF_CAMERA`].
#[derive(Debug)]
pub struct FlagValues<const WHAT: u8>(ArgMatches);

impl<const WHAT: u8> FlagValues<WHAT> {
    /// The value of the flag `name`, as its row in [`FLAGS`] reads it.
    pub fn get<T: Clone + Send + Sync + 'static>(&self, name: &str) -> Option<T> {
        self.0.get_one(name).cloned()
    }

    pub fn choice<T>(&self, name: &str, named: fn(&str) -> starlings::Result<T>) -> Result<Option<T>> {
        Ok(self.0.get_one::<String>(name).map(|chosen| named(chosen)).transpose()?)
    }

    /// Whether the flag `name` is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_id(name)
    }
}

impl<const WHAT: u8> Args for FlagValues<WHAT> {
    fn augment_args(mut command: Command) -> Command {
        for flag in FLAGS.iter().filter(|flag| flag.describes() == WHAT) {
            // `bench` has a flag of its own for several counts of boids.
            if command.get_arguments().all(|arg| arg.get_id() != &*flag.name) {
                command = command.arg(flag.arg());
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const WHAT: u8> FromArgMatches for FlagValues<WHAT> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(FlagValues(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
