//! The help of a flock's flags: names, units, and the default of each preset.

use crate::cli::numbers::short;
use starlings::flock::settings::{Tunable, Unit, in_unit};
use starlings::flock::{PRESETS, Setting, Settings};

pub fn value_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Plain => "NUMBER",
        Unit::Length => "LENGTH",
        Unit::Speed => "SPEED",
        Unit::Acceleration => "ACCELERATION",
        Unit::Seconds => "SECONDS",
        Unit::Rate => "RATE",
        Unit::Turning => "DEGREES/S",
        Unit::Degrees => "DEGREES",
    }
}

pub fn tunable_help(tunable: &Tunable) -> String {
    let default = if tunable.setting == Setting::TargetWeight {
        "[default: follows the size of the world (counting-sort), 1 (three-radius, reynolds)]".to_owned()
    } else {
        defaults(Some(tunable.setting), |settings| short((tunable.value)(settings)))
    };
    format!("{}{} {default}", tunable.setting.about(), in_unit(tunable.unit.name()))
}

/// `[default: 1.75]`, or `[default: 1.75 (counting-sort), 1 (reynolds)]` where presets differ; without presets whose
/// laws do not read `setting`, if given.
pub fn defaults(setting: Option<Setting>, value: impl Fn(&Settings) -> String) -> String {
    let mut values: Vec<(String, Vec<&str>)> = Vec::new();
    for preset in PRESETS {
        let settings = preset.settings();
        if setting.is_some_and(|setting| !settings.reads(setting) && !settings.law.reads(setting)) {
            continue;
        }
        let value = value(&settings);
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, presets)) => presets.push(preset.name),
            None => values.push((value, vec![preset.name])),
        }
    }
    match &values[..] {
        [(value, _)] => format!("[default: {value}]"),
        _ => {
            let each: Vec<String> = values.iter().map(|(v, presets)| format!("{v} ({})", presets.join(", "))).collect();
            format!("[default: {}]", each.join(", "))
        }
    }
}

/// The same of a setting that every law reads.
pub fn default(value: impl Fn(&Settings) -> String) -> String {
    defaults(None, value)
}
