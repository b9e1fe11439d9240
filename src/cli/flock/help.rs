//! What `--help` says of a flock's flags: names, units, and the default of each preset.

use crate::cli::choices::explained;
use crate::cli::numbers::{grouped, short};
use starlings::flock::engine::ENGINES;
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::{Tunable, Unit, in_unit};
use starlings::flock::walls::WALLS;
use starlings::flock::{PRESETS, SPAWN_SHAPES, Setting, Settings};
use starlings::limits::MAX_TARGETS;

pub fn value_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Plain => "NUMBER",
        Unit::Length => "LENGTH",
        Unit::Speed => "SPEED",
        Unit::Acceleration => "ACCELERATION",
        Unit::Seconds => "SECONDS",
        Unit::Rate => "RATE",
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

/// `[default: 1.75]`, or `[default: 1.75 (counting-sort), 1 (reynolds)]` where presets differ; without those whose laws do
/// not read `setting`, if it is one that laws may leave alone.
fn defaults(setting: Option<Setting>, value: impl Fn(&Settings) -> String) -> String {
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

pub fn preset_help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    format!(
        "Where the settings start from: {}; `starlings presets NAME` lists what it sets [default: {}]",
        names.join(", "),
        PRESETS[0].name
    )
}

pub fn engine_help() -> String {
    let default = defaults(None, |settings| settings.engine.to_string());
    format!("Where the flock is stepped: {}; it flies the same by each {default}", explained(ENGINES))
}

pub fn search_help() -> String {
    let names: Vec<&str> = SEARCHES.iter().map(|info| info.name).collect();
    let default = defaults(None, |settings| settings.search.to_string());
    format!("How a boid finds its neighbors: {}; the neighbors are the same {default}", names.join(", "))
}

pub fn walls_help() -> String {
    let default = defaults(None, |settings| settings.walls.to_string());
    format!("What happens at the walls of the world: {} {default}", explained(WALLS))
}

pub fn spawn_help() -> String {
    let default = defaults(None, |settings| settings.spawn.name().to_owned());
    format!("Where boids start: {} {default}", explained(SPAWN_SHAPES))
}

pub fn boids_help() -> String {
    let default = defaults(None, |settings| grouped(settings.boids.into()));
    format!("Boids in the flock: 200000, 200_000, 200k or 2e5 {default}")
}

pub fn density_help() -> String {
    let default = defaults(None, |settings| short(settings.density()));
    format!(
        "Boids per cubic world unit at the start, or per square one on a plane: the world follows the count {default}"
    )
}

pub fn targets_help() -> String {
    let default = defaults(Some(Setting::Targets), |settings| settings.targets.to_string());
    format!("Targets that attract the flock, up to {MAX_TARGETS} {default}")
}
