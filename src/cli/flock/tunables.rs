//! One flag for each row of [`TUNABLES`].

use super::flag;
use super::help::{tunable_help, value_name};
use crate::cli::numbers::{Accepted, real};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use starlings::flock::law::Radii;
use starlings::flock::settings::{TUNABLES, Tunable};
use starlings::flock::{Setting, Settings};

/// The values given for rows of [`TUNABLES`].
#[derive(Debug)]
pub struct TunableArgs(pub(super) Vec<(&'static Tunable, f32)>);

impl TunableArgs {
    /// Changes `settings` as given.
    pub fn apply(&self, settings: &mut Settings) {
        // A radius that rules share is given once.
        let given =
            |radii: &[Setting]| self.0.iter().find(|(tunable, _)| radii.contains(&tunable.setting)).map(|row| row.1);
        let shared = [Setting::AlignmentRadius, Setting::CohesionRadius, Setting::SeparationRadius];
        match settings.law.info().radii {
            Radii::One => *settings = settings.clone().with_radius(given(&shared).unwrap_or(settings.search_radius())),
            Radii::Two => {
                let radius = given(&shared[..2]).unwrap_or(settings.rules.alignment_radius);
                (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (radius, radius);
            }
            Radii::Three => {}
        }
        for (tunable, value) in &self.0 {
            *(tunable.field)(settings) = *value;
        }
    }
}

impl Args for TunableArgs {
    fn augment_args(command: Command) -> Command {
        TUNABLES.iter().fold(command, |command, tunable| {
            let parser = |text: &str| real(text).ok_or_else(|| Accepted(tunable.accepted()));
            let setting = tunable.setting;
            let arg = Arg::new(setting.name()).long(flag(setting));
            let arg = arg.value_name(value_name(tunable.unit)).help(tunable_help(tunable));
            let heading = if matches!(setting, Setting::TimeStep | Setting::SpawnSpeed) { "Flock" } else { "Rules" };
            command.arg(arg.help_heading(heading).allow_hyphen_values(true).value_parser(parser))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TunableArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |tunable: &'static Tunable| matches.get_one(tunable.setting.name()).copied();
        Ok(TunableArgs(TUNABLES.iter().filter_map(|tunable| Some((tunable, value(tunable)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
