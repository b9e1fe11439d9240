//! The settings that are one number each: one table, from which flags, config keys, panels and checks are made.

use super::{LENGTHS, Settings};
use crate::error::{Error, Result};

/// A setting that is one number, by the name under which users know it.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// The command line's name, e.g. `--separation-radius`.
    pub name: &'static str,
    /// What it is, in one sentence without a full stop.
    pub about: &'static str,
    /// Its unit, empty for plain numbers.
    pub unit: &'static str,
    /// The least value accepted.
    pub least: f32,
    /// The greatest value accepted.
    pub most: f32,
    /// Where it is kept.
    pub field: fn(&mut Settings) -> &mut f32,
    /// Its value.
    pub value: fn(&Settings) -> f32,
}

impl Tunable {
    /// What is accepted for it, with its unit.
    pub fn accepted(&self) -> String {
        accepted(f32::NAN, self.least, self.most, self.unit)
    }

    /// Both ends of what is accepted for it, with its unit.
    pub fn range(&self) -> String {
        accepted(f32::INFINITY, self.least, self.most, self.unit)
    }

    /// Fails unless the setting's value is finite and in range.
    pub(super) fn check(&self, settings: &Settings) -> Result<()> {
        number(self.name, (self.value)(settings), self.least, self.most, self.unit)
    }
}

/// Rows of [`TUNABLES`]: name, meaning, unit, accepted range, field.
macro_rules! tunables {
    ($($name:literal, $about:literal, $unit:literal, $least:expr, $most:expr, $($field:ident).+;)*) => {
        &[$(Tunable {
            name: $name,
            about: $about,
            unit: $unit,
            least: $least,
            most: $most,
            field: |settings| &mut settings.$($field).+,
            value: |settings| settings.$($field).+,
        }),*]
    };
}

/// Every setting that is one number. Names and meanings are what users see in `--help` and in the panels.
pub const TUNABLES: &[Tunable] = tunables! {
    "--separation-radius", "Distance within which a neighbor repels",
        "world units", LENGTHS.0, LENGTHS.1, rules.separation_radius;
    "--alignment-radius", "Distance within which a neighbor's heading counts",
        "world units", LENGTHS.0, LENGTHS.1, rules.alignment_radius;
    "--cohesion-radius", "Distance within which a neighbor attracts",
        "world units", LENGTHS.0, LENGTHS.1, rules.cohesion_radius;
    "--separation-weight", "Strength of separation",
        "", -1e6, 1e6, rules.separation_weight;
    "--alignment-weight", "Strength of alignment",
        "", -1e6, 1e6, rules.alignment_weight;
    "--cohesion-weight", "Strength of cohesion",
        "", -1e6, 1e6, rules.cohesion_weight;
    "--target-weight", "Strength of the pull towards the nearest target",
        "", -1e6, 1e6, rules.target_weight;
    "--wall-weight", "Strength of the push back into the world",
        "world units per second squared", 0.0, 1e6, rules.wall_weight;
    "--move-speed", "Speed of laws with a constant speed",
        "world units per second", LENGTHS.0, LENGTHS.1, rules.move_speed;
    "--max-speed", "Upper limit of the speed",
        "world units per second", LENGTHS.0, LENGTHS.1, rules.max_speed;
    "--max-force", "Upper limit of a steering force",
        "world units per second squared", LENGTHS.0, LENGTHS.1, rules.max_force;
    "--turn-rate", "How fast a heading turns into the force",
        "per second", 0.0, 1e6, rules.turn_rate;
    "--blend", "Share of the wanted velocity in the new one, at each step",
        "", 0.0, 1.0, rules.blend;
    "--cursor-distance", "Distance beyond which the cursor attracts, and within which it repels",
        "world units", LENGTHS.0, LENGTHS.1, rules.cursor_distance;
    "--cursor-attraction", "Strength of the cursor's attraction, which grows with the distance",
        "", -1e6, 1e6, rules.cursor_attraction;
    "--cursor-repulsion", "Strength of the cursor's repulsion",
        "", -1e6, 1e6, rules.cursor_repulsion;
    "--leader-weight", "How much boids follow the leader",
        "", -1e6, 1e6, leader_weight;
    "--current-weight", "How much boids go with the current",
        "", -1e6, 1e6, current_weight;
    "--heed", "Share of the flock that targets, leader and current influence",
        "", 0.0, 1.0, influenced;
    "--spawn-speed", "Speed at the start",
        "world units per second", 0.0, LENGTHS.1, spawn_speed;
    "--time-step", "Simulated time in a step",
        "seconds", 1e-6, 1.0, time_step;
    "--target-period", "Simulated time after which the targets are drawn anew",
        "seconds", 1e-3, 1e6, target_period;
    "--target-radius", "Radius of the sphere drawn at a target",
        "world units", LENGTHS.0, LENGTHS.1, target_radius;
};

pub(super) fn number(name: &str, value: f32, least: f32, most: f32, unit: &str) -> Result<()> {
    // NaN is in no range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { name: name.into(), value: value.to_string(), accepted: accepted(value, least, most, unit) })
}

/// What is accepted in place of `value`. The least value matters only to those who came near it.
fn accepted(value: f32, least: f32, most: f32, unit: &str) -> String {
    let range = if least > 0.0 && (value.is_nan() || value <= 0.0) {
        "a number above 0".to_owned()
    } else {
        format!("a number from {least} to {most}")
    };
    match unit {
        "" => range,
        rate if rate.starts_with("per ") => format!("{range}, {rate}"),
        unit => format!("{range}, in {unit}"),
    }
}
