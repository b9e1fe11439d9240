//! Flights as text: the table `flight` of a config file, whose keys are the settings at the flight's end.
//!
//! Its `steps` are those of the whole flight. Each row of its `changes` is a step and, behind tabs, flags without their
//! dashes, which are set after so many steps, or without a value no longer said. The first row is the start, with all
//! flags of a flock.

use super::config;
use super::config::file::{parse, written};
use super::flags::{self, FLAGS, Flag, keys};
use super::viewpoint::Viewpoint;
use crate::flight::{Flight, MOST_CHANGES};
use crate::{Error, Result};
use starlings::flock::Settings;
use starlings::flock::settings::TUNABLES;
use starlings::render::Look;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

/// The key of the table.
pub const TABLE: &str = "flight";

/// Flags whose values change nothing but the settings of their names, and so can be set alone.
const ALONE: [&str; 5] = ["cursor", "predator", "points", "obstacle", "current"];

/// Whether the flag sets one number of the settings.
fn is_tunable(name: &str) -> bool {
    TUNABLES.iter().any(|of| flags::flag(of.setting) == name)
}

/// A flight, and the steps in it.
#[derive(Clone, Debug)]
pub struct Flown {
    pub flight: Arc<Flight>,
    pub steps: u32,
}

/// A config file of a flock with this look, seen from `viewpoint`, and of the flight that has led to it in so many
/// steps, if there is one that is worth it: with changes, or where it is `wanted` in any case. Without a flight, it is
/// of `settings`.
pub fn config(
    flown: Option<(&Flight, u32)>,
    settings: &Settings,
    (look, viewpoint): (&Look, &Viewpoint),
    wanted: bool,
) -> String {
    let Some((flight, steps)) = flown else { return config::text(settings, look, viewpoint) };
    let flight = flight.up_to(steps);
    let mut text = config::text(flight.last(), look, viewpoint);
    if wanted || flight.is_changed() {
        text += &format!(
            "\n# How it came to this: `starlings replay` flies it again, and `--from` goes on from its end. Each row \
                of the\n# changes is a step and what was set after it.\n[{TABLE}]\nsteps = {steps}\nchanges = \
                \"\"\"\n{}\"\"\"\n",
            escaped(&rows(&flight))
        );
    }
    text
}

/// A text between three quotes in TOML.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

pub fn rows(flight: &Flight) -> String {
    let look = Look::of(flight.first());
    let value = |flag: &Flag, settings: &Settings| flag.value(settings, &look, &Viewpoint::default());
    let all: Vec<&Flag> = keys().into_iter().filter(|flag| flag.is_of_flock()).collect();
    let mut said: Vec<Option<String>> = all.iter().map(|flag| value(flag, flight.first())).collect();
    let written = |flag: &Flag, value: &Option<String>| match value {
        Some(value) => format!("\t{}={}", flag.name, as_flag(flag, value)),
        None => format!("\t{}", flag.name),
    };
    let first = all.iter().zip(&said).filter(|(_, value)| value.is_some()).map(|(flag, value)| written(flag, value));
    let mut rows = format!("0{}\n", first.collect::<String>());
    let mut course = flight.course();
    while let Some(step) = course.stop() {
        course.due(step);
        rows += &step.to_string();
        for (flag, said) in all.iter().zip(&mut said) {
            if course.is_led() && !ALONE.contains(&&*flag.name) {
                continue;
            }
            let now = value(flag, course.settings());
            if now != *said {
                rows += &written(flag, &now);
                *said = now;
            }
        }
        rows.push('\n');
    }
    rows
}

/// A value of a config file as its flag takes it.
fn as_flag(flag: &Flag, value: &str) -> String {
    let value = DeValue::parse(value).ok().and_then(|value| written(flag.kind, value.get_ref()));
    value.unwrap_or_else(|| panic!("a value of our own: {}", flag.name))
}

/// Reads the table of a flight. `fault` makes a failure of what is said about a byte of the file.
pub fn read(table: &Spanned<DeValue<'_>>, fault: impl Fn(usize, &str) -> Error) -> Result<Flown> {
    let at = table.span().start;
    let refused = |what: &str| fault(at, &format!("{TABLE} {what}; accepted is a table that this program has written"));
    let entries = table.get_ref().as_table().ok_or_else(|| refused("is no table"))?;
    let entry = |name: &str| entries.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value);
    let steps = entry("steps").and_then(|steps| steps.get_ref().as_integer()?.as_str().parse().ok());
    let steps: u32 = steps.ok_or_else(|| refused("has no count of its steps"))?;
    let rows = entry("changes").and_then(|rows| rows.get_ref().as_str());
    let rows = rows.ok_or_else(|| refused("has no changes"))?;
    let (mut flags, mut flight) = (BTreeMap::new(), None);
    for (number, row) in (1..).zip(rows.lines().filter(|row| !row.is_empty())) {
        let failed = |error: Error| fault(at, &format!("row {number} of the flight: {}", super::failure::line(&error)));
        flight = Some(with_row(flight, row, &mut flags, steps).map_err(failed)?);
    }
    let flight = flight.ok_or_else(|| refused("has no start"))?;
    Ok(Flown { flight: Arc::new(flight), steps })
}

/// The flight after another row; without one, it begins with that. `flags` are those that are said so far.
fn with_row(
    flight: Option<Flight>,
    row: &str,
    flags: &mut BTreeMap<&'static str, String>,
    steps: u32,
) -> Result<Flight> {
    let refused = |what: String| Err(Error::Input(what));
    let mut parts = row.split('\t');
    let step = parts.next().unwrap_or_default();
    let Ok(step) = step.parse::<u32>() else { return refused(format!("its step is '{step}'")) };
    let (mut set, mut is_alone) = (Vec::new(), flight.is_some());
    for part in parts {
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
        let Some(flag) = FLAGS.iter().find(|flag| flag.name == name && flag.is_of_flock()) else {
            return refused(format!("'{name}' is no flag of a flock"));
        };
        is_alone &= value.is_some() && (is_tunable(name) || ALONE.contains(&name));
        match value {
            Some(value) => {
                set.push(format!("--{name}={value}"));
                flags.insert(&flag.name, format!("--{name}={value}"));
            }
            None => drop(flags.remove(&*flag.name)),
        }
    }
    let settings = match &flight {
        Some(flight) if is_alone => parse(&set)?.flock.change(flight.last().clone(), None)?,
        _ => {
            let flock = parse(&flags.values().cloned().collect::<Vec<_>>())?.flock;
            let preset: Option<String> = flock.values.get("preset");
            flock.change(Settings::preset(preset.as_deref().unwrap_or_default())?, flock.values.get("boids"))?
        }
    };
    let Some(mut flight) = flight else {
        return if step == 0 { Ok(Flight::new(settings)) } else { refused(format!("it starts at step {step}")) };
    };
    let of = |settings: &Settings| (settings.preset, settings.seed);
    match () {
        () if of(&settings) != of(flight.first()) => refused("another preset or seed is another flight".into()),
        () if step < flight.step() => refused(format!("step {step} comes after step {}", flight.step())),
        () if step > steps => refused(format!("step {step} comes after the flight's {steps} steps")),
        () if !flight.note(step, &settings, false) => refused(format!("it has more than {MOST_CHANGES} changes")),
        () => Ok(flight),
    }
}

impl Flown {
    /// Refuses settings that are not those at the flight's end: its changes lead there, and to no others.
    pub fn check(&self, settings: &Settings) -> Result<()> {
        let last = self.flight.last();
        if last == settings {
            return Ok(());
        }
        let look = Look::of(settings);
        let of = |flag: &Flag, settings| flag.value(settings, &look, &Viewpoint::default());
        let other = FLAGS.iter().find(|flag| flag.is_of_flock() && of(flag, settings) != of(flag, last));
        let (name, value) = other.map_or(("weights", None), |flag| (&*flag.name, of(flag, settings)));
        let accepted = "what it is at the end of the flight in this file: the flight leads to no other flock \
                        (`--config` takes a file's settings without its flight)";
        Err(Error::flag(name, value.unwrap_or_else(|| "given".into()), accepted))
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::file::ConfigFile;
    use super::*;
    use glam::Vec3;
    use starlings::flock::PRESETS;
    use starlings::flock::layout::Point;
    use starlings::flock::obstacles::Obstacle;
    use starlings::flock::settings::Waypoint;
    use std::path::Path;
    use std::time::Instant;

    fn read_again(text: String) -> Result<Flown> {
        Ok(ConfigFile::of_text(Path::new("a.toml"), text)?.flight.expect("a flight"))
    }

    fn text(flight: &Flight, steps: u32) -> String {
        let look = Look::of(flight.last());
        config(Some((flight, steps)), flight.last(), (&look, &Viewpoint::default()), true)
    }

    fn at(position: Vec3) -> Vec<Waypoint> {
        vec![Waypoint { seconds: 0.0, position }]
    }

    #[test]
    fn a_flight_is_read_as_it_was_written() {
        for preset in PRESETS {
            let mut settings = preset.settings().with_boids(300);
            let mut flight = Flight::new(settings.clone());
            let mut change = |step, change: &dyn Fn(&mut Settings)| {
                change(&mut settings);
                settings.validate().expect("settings that are accepted");
                assert!(flight.note(step, &settings, false));
            };
            change(1, &|settings| settings.predator = at(Vec3::new(0.1, 1.0 / 3.0, -2e-3)));
            change(2, &|settings| settings.predator = at(Vec3::ONE));
            change(2, &|settings| settings.time_step = 1.0 / 90.0);
            if preset.settings().law.follows_cursor() {
                change(3, &|settings| settings.cursor = at(Vec3::new(3.0, 0.7, 0.1)));
                change(4, &|settings| settings.rules.cursor_attraction = 0.3);
            }
            change(5, &|settings| settings.obstacles = vec![Obstacle::Sphere { center: Vec3::X, radius: 0.3 }]);
            change(5, &|settings| {
                settings.paths.obstacles = vec![vec![Waypoint { seconds: 2.5, position: Vec3::Y }]];
                settings.points = vec![Point { position: Vec3::Y, reach: 3.0, strength: -4.0 }];
            });
            change(6, &|settings| *settings = settings.clone().with_boids(77));
            change(7, &|settings| settings.obstacle_weight = 0.3);
            // What is of no effect is not said, and has no effect on the boids.
            change(8, &|settings| {
                (settings.obstacles, settings.paths.obstacles) = (Vec::new(), Vec::new());
                settings.obstacle_weight = preset.settings().obstacle_weight;
            });
            change(9, &|settings| *settings = settings.clone().on_plane());
            change(9, &|settings| settings.predator.clear());
            let again = read_again(text(&flight, 12)).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert_eq!(*again.flight, flight, "{}", preset.name);
            assert_eq!(again.steps, 12);
            again.check(&settings).expect("the settings at its end");
            let other = Settings { time_step: 0.1, ..settings.clone() };
            let said = again.check(&other).expect_err("other settings").to_string();
            assert!(said.starts_with("time-step is 0.1; accepted is what it is at the end"), "{said}");
            // As far as a step in between, its keys are what they were there.
            let half = read_again(text(&flight, 5)).expect("a part of it");
            assert_eq!(*half.flight, flight.up_to(5));
            assert!(half.flight.last().predator.len() == 1 && half.flight.last().boids == 300);
        }
    }

    #[test]
    fn a_flight_that_is_none_is_refused_in_one_line() {
        let settings = PRESETS[1].settings().with_boids(300);
        let mut flight = Flight::new(settings.clone());
        flight.note(7, &Settings { time_step: 0.01, ..settings.clone() }, false);
        let good = text(&flight, 9);
        for (old, new, says) in [
            ("7\ttime", "x\ttime", "row 2 of the flight: its step is 'x'"),
            ("7\ttime", "10\ttime", "row 2 of the flight: step 10 comes after the flight's 9 steps"),
            ("7\ttime-step=0.01", "7\ttime-step=-1", "row 2 of the flight: --time-step is -1; accepted is"),
            ("7\ttime-step=0.01", "7\tlook=dart", "row 2 of the flight: 'look' is no flag of a flock"),
            ("7\ttime-step=0.01", "7\tpreset=bitonic", "row 2 of the flight: "),
            ("7\ttime-step=0.01", "7\tseed=9", "row 2 of the flight: another preset or seed is another flight"),
            ("\n0\t", "\n3\t", "row 1 of the flight: it starts at step 3"),
            ("steps = 9", "steps = -9", "flight has no count of its steps; accepted is a table that"),
            ("changes = ", "change = ", "flight has no changes; accepted is a table that"),
            ("[flight]", "[flight.more]", "flight has no count of its steps"),
            ("[flight]", "flight = 3\n[flights]", "there is no key 'flights'"),
        ] {
            assert!(good.contains(old), "{old}");
            let said = read_again(good.replace(old, new)).expect_err(says).to_string();
            assert!(said.contains(says) && said.starts_with("a.toml:") && !said.contains('\n'), "{said}");
        }
        read_again(good).expect("the flight itself");
    }

    #[test]
    fn ten_minutes_of_a_predator_are_soon_written_and_read() {
        let settings = PRESETS[0].settings();
        let mut flight = Flight::new(settings.clone());
        let minute = if cfg!(debug_assertions) { 60 } else { 3_600 };
        for step in 0..10 * minute {
            let place = Vec3::new(step as f32 / 7.0, 1.0 / (step as f32 + 3.0), -0.1);
            flight.note(step, &Settings { predator: at(place), ..settings.clone() }, true);
        }
        let begun = Instant::now();
        let text = text(&flight, 10 * minute);
        assert!(text.len() < (64 * 10 * minute + 8_000) as usize, "{} bytes", text.len());
        assert_eq!(read_again(text).expect("a flight").flight.last(), flight.last());
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }
}
