//! The settings that are one number each, in one table, the source of flags, config keys, panels and checks.

use super::{LENGTHS, Settings};
use crate::error::{Error, Result};
use crate::flock::setting::Setting;
use std::f32::consts::TAU;

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// None: a plain number.
    Plain,
    /// World units.
    Length,
    /// World units per second.
    Speed,
    /// World units per second squared.
    Acceleration,
    /// Seconds.
    Seconds,
    /// A rate, per second.
    Rate,
    /// Degrees per second.
    Turning,
    /// Degrees.
    Degrees,
}

impl Unit {
    /// Its name; none for a plain number.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Plain => "",
            Unit::Length => "world units",
            Unit::Speed => "world units per second",
            Unit::Acceleration => "world units per second squared",
            Unit::Seconds => "seconds",
            Unit::Rate => "per second",
            Unit::Turning => "degrees per second",
            Unit::Degrees => "degrees",
        }
    }

    /// What stands behind a number where there is little room, u for world units; nothing for a plain number.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Plain => "",
            Unit::Length => " u",
            Unit::Speed => " u/s",
            Unit::Acceleration => " u/s²",
            Unit::Seconds => " s",
            Unit::Rate => " /s",
            Unit::Turning => "°/s",
            Unit::Degrees => "°",
        }
    }
}

/// A setting that is one number.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// The setting.
    pub setting: Setting,
    /// Its unit.
    pub unit: Unit,
    /// The least value accepted.
    pub least: f32,
    /// The greatest value accepted.
    pub most: f32,
    /// Its field.
    pub field: fn(&mut Settings) -> &mut f32,
    /// Its value.
    pub value: fn(&Settings) -> f32,
}

impl Tunable {
    /// The accepted values, with the unit.
    pub fn accepted(&self) -> String {
        accepted(f32::NAN, self.least, self.most, self.unit)
    }

    /// The accepted range, with the unit.
    pub fn range(&self) -> String {
        let range = accepted(f32::INFINITY, self.least, self.most, self.unit);
        if self.may_be_infinite() { range + "; or inf, with nearest" } else { range }
    }

    /// Whether it is a radius, which the nearest few do without.
    fn may_be_infinite(&self) -> bool {
        matches!(self.setting, Setting::SeparationRadius | Setting::AlignmentRadius | Setting::CohesionRadius)
    }

    /// Fails unless the setting's value is in range.
    pub(super) fn check(&self, settings: &Settings) -> Result<()> {
        let value = (self.value)(settings);
        if value == f32::INFINITY && settings.nearest == 0 {
            return Err(Error::setting(self.setting.name(), value, self.range()));
        }
        self.check_value(value)
    }

    /// Fails unless `value` is in range.
    ///
    /// # Errors
    /// [`Error::Setting`] names this setting.
    pub fn check_value(&self, value: f32) -> Result<()> {
        if value == f32::INFINITY && self.may_be_infinite() {
            return Ok(());
        }
        number(self.setting.name(), value, self.least, self.most, self.unit)
    }
}

/// Rows of [`TUNABLES`]: setting, unit, accepted range, field.
macro_rules! tunables {
    ($($setting:ident, $unit:ident, $least:expr, $most:expr, $($field:ident).+;)*) => {
        &[$(Tunable {
            setting: Setting::$setting,
            unit: Unit::$unit,
            least: $least,
            most: $most,
            field: |settings| &mut settings.$($field).+,
            value: |settings| settings.$($field).+,
        }),*]
    };
}

/// Every setting that is one number.
pub const TUNABLES: &[Tunable] = tunables! {
    SeparationRadius, Length, LENGTHS.0, LENGTHS.1, rules.separation_radius;
    AlignmentRadius, Length, LENGTHS.0, LENGTHS.1, rules.alignment_radius;
    CohesionRadius, Length, LENGTHS.0, LENGTHS.1, rules.cohesion_radius;
    SeparationWeight, Plain, -1e6, 1e6, rules.separation_weight;
    AlignmentWeight, Plain, -1e6, 1e6, rules.alignment_weight;
    CohesionWeight, Plain, -1e6, 1e6, rules.cohesion_weight;
    // It grows as the world shrinks, to a million and a rounding in the smallest.
    TargetWeight, Plain, -2e6, 2e6, rules.target_weight;
    WallWeight, Acceleration, 0.0, 1e6, rules.wall_weight;
    MoveSpeed, Speed, LENGTHS.0, LENGTHS.1, rules.move_speed;
    MaxSpeed, Speed, LENGTHS.0, LENGTHS.1, rules.max_speed;
    MaxForce, Acceleration, LENGTHS.0, LENGTHS.1, rules.max_force;
    TurnRate, Rate, 0.0, 1e6, rules.turn_rate;
    OwnWeight, Plain, 0.0, 1e6, rules.own_weight;
    Blend, Plain, 0.0, 1.0, rules.blend;
    CursorDistance, Length, LENGTHS.0, LENGTHS.1, rules.cursor_distance;
    CursorAttraction, Plain, -1e6, 1e6, rules.cursor_attraction;
    CursorRepulsion, Plain, -1e6, 1e6, rules.cursor_repulsion;
    LeaderWeight, Plain, -1e6, 1e6, leader_weight;
    CurrentWeight, Plain, -1e6, 1e6, current_weight;
    ObstacleDistance, Length, LENGTHS.0, LENGTHS.1, obstacle_distance;
    ObstacleWeight, Plain, 0.0, 1e6, obstacle_weight;
    Heed, Plain, 0.0, 1.0, influenced;
    ViewAngle, Degrees, 0.0, 180.0, view_angle;
    FeltDistance, Length, 0.0, LENGTHS.1, felt_distance;
    MinSpeed, Speed, 0.0, LENGTHS.1, min_speed;
    MaxTurn, Turning, 0.0, 1e6, max_turn;
    Noise, Plain, 0.0, TAU, noise;
    SpawnSpeed, Speed, 0.0, LENGTHS.1, spawn_speed;
    TimeStep, Seconds, 1e-6, 1.0, time_step;
    TargetPeriod, Seconds, 1e-3, 1e6, target_period;
    TargetRadius, Length, LENGTHS.0, LENGTHS.1, target_radius;
};

pub(in crate::flock) fn number(name: &str, value: f32, least: f32, most: f32, unit: Unit) -> Result<()> {
    // No range contains NaN.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::setting(name, value, accepted(value, least, most, unit)))
}

/// The values accepted instead of `value`. A least value above 0 is shown only if `value` is above 0.
fn accepted(value: f32, least: f32, most: f32, unit: Unit) -> String {
    let range = if least > 0.0 && (value.is_nan() || value <= 0.0) {
        "a number above 0".to_owned()
    } else {
        format!("a number from {least} to {most}")
    };
    range + &in_unit(unit.name())
}

/// The text after a number whose unit has this name: `, in world units`, `, per second`, or nothing for a plain number.
pub fn in_unit(unit: &str) -> String {
    match unit {
        "" => String::new(),
        rate if rate.starts_with("per ") => format!(", {rate}"),
        unit => format!(", in {unit}"),
    }
}
