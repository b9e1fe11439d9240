//! The settings that are one number each: one table, from which flags, config keys, panels and checks are made.

use super::{LENGTHS, Settings};
use crate::error::{Error, Result};
use crate::flock::setting::Setting;

/// A setting that is one number.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// Which.
    pub setting: Setting,
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
        number(self.setting.name(), (self.value)(settings), self.least, self.most, self.unit)
    }
}

/// Rows of [`TUNABLES`]: setting, unit, accepted range, field.
macro_rules! tunables {
    ($($setting:ident, $unit:literal, $least:expr, $most:expr, $($field:ident).+;)*) => {
        &[$(Tunable {
            setting: Setting::$setting,
            unit: $unit,
            least: $least,
            most: $most,
            field: |settings| &mut settings.$($field).+,
            value: |settings| settings.$($field).+,
        }),*]
    };
}

/// Every setting that is one number.
pub const TUNABLES: &[Tunable] = tunables! {
    SeparationRadius, "world units", LENGTHS.0, LENGTHS.1, rules.separation_radius;
    AlignmentRadius, "world units", LENGTHS.0, LENGTHS.1, rules.alignment_radius;
    CohesionRadius, "world units", LENGTHS.0, LENGTHS.1, rules.cohesion_radius;
    SeparationWeight, "", -1e6, 1e6, rules.separation_weight;
    AlignmentWeight, "", -1e6, 1e6, rules.alignment_weight;
    CohesionWeight, "", -1e6, 1e6, rules.cohesion_weight;
    TargetWeight, "", -1e6, 1e6, rules.target_weight;
    WallWeight, "world units per second squared", 0.0, 1e6, rules.wall_weight;
    MoveSpeed, "world units per second", LENGTHS.0, LENGTHS.1, rules.move_speed;
    MaxSpeed, "world units per second", LENGTHS.0, LENGTHS.1, rules.max_speed;
    MaxForce, "world units per second squared", LENGTHS.0, LENGTHS.1, rules.max_force;
    TurnRate, "per second", 0.0, 1e6, rules.turn_rate;
    Blend, "", 0.0, 1.0, rules.blend;
    CursorDistance, "world units", LENGTHS.0, LENGTHS.1, rules.cursor_distance;
    CursorAttraction, "", -1e6, 1e6, rules.cursor_attraction;
    CursorRepulsion, "", -1e6, 1e6, rules.cursor_repulsion;
    LeaderWeight, "", -1e6, 1e6, leader_weight;
    CurrentWeight, "", -1e6, 1e6, current_weight;
    Heed, "", 0.0, 1.0, heed;
    SpawnSpeed, "world units per second", 0.0, LENGTHS.1, spawn_speed;
    TimeStep, "seconds", 1e-6, 1.0, time_step;
    TargetPeriod, "seconds", 1e-3, 1e6, target_period;
    TargetRadius, "world units", LENGTHS.0, LENGTHS.1, target_radius;
};

pub(super) fn number(name: &str, value: f32, least: f32, most: f32, unit: &str) -> Result<()> {
    // NaN is in no range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::setting(name, value, accepted(value, least, most, unit)))
}

/// What is accepted in place of `value`. The least value matters only to those who came near it.
fn accepted(value: f32, least: f32, most: f32, unit: &str) -> String {
    let range = if least > 0.0 && (value.is_nan() || value <= 0.0) {
        "a number above 0".to_owned()
    } else {
        format!("a number from {least} to {most}")
    };
    range + &in_unit(unit)
}

/// What to write behind a number that has this unit: `, in world units`, `, per second`, or nothing for a plain number.
pub fn in_unit(unit: &str) -> String {
    match unit {
        "" => String::new(),
        rate if rate.starts_with("per ") => format!(", {rate}"),
        unit => format!(", in {unit}"),
    }
}
