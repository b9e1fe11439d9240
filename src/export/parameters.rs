//! The settings of a run as JSON, for those who check it with programs of their own.

use crate::flock::Settings;
use crate::flock::settings::TUNABLES;
use glam::Vec3;
use serde_json::{Map, Value, json};

/// Everything that determines a flock's course, one entry a setting under its name and in its unit, and
/// `settings_of_law`, the names of those that the law reads.
///
/// Numbers are the shortest decimals that give back the very single-precision values used.
pub fn parameters(settings: &Settings) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("program", json!(concat!("starlings ", env!("CARGO_PKG_VERSION"))));
    put("preset", json!(settings.preset));
    put("law", json!(settings.law.name_in_files()));
    put("engine", json!(settings.engine.name()));
    put("search", json!(settings.search.name()));
    put("settings_of_law", settings.law.settings().map(|setting| json!(setting.name())).collect());
    put("boids", json!(settings.boids));
    put("seed", json!(settings.seed));
    put("world_center", vector(settings.world.center));
    put("world_size", vector(settings.world.half_size * 2.0));
    put("plane", json!(settings.plane));
    put("walls", json!(settings.walls.name()));
    put("spawn", json!(settings.spawn.name()));
    let waypoints = settings
        .cursor
        .iter()
        .map(|waypoint| json!({ "seconds": number(waypoint.seconds), "position": vector(waypoint.position) }));
    put("cursor", waypoints.collect());
    put("leader", json!(settings.leader));
    put("current", vector(settings.current));
    put("targets", json!(settings.targets));
    for tunable in TUNABLES {
        put(tunable.setting.name(), number((tunable.value)(settings)));
    }
    map
}

fn vector(v: Vec3) -> Value {
    v.to_array().map(number).into_iter().collect()
}

/// `serde_json` would widen 0.1 to 0.10000000149011612.
fn number(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().unwrap_or(f64::from(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_there_under_its_name() {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(1_000);
        settings.rules.max_force = 0.1;
        let map = parameters(&settings);
        assert_eq!(map["preset"], "reynolds");
        assert_eq!(map["boids"], 1_000);
        assert_eq!(map["max_force"].to_string(), "0.1");
        assert_eq!(map["time_step"].as_f64().map(|x| x as f32), Some(1.0 / 60.0));
        assert_eq!(map["world_size"], json!([10.0, 10.0, 10.0]));
        for preset in crate::flock::PRESETS {
            let map = parameters(&preset.settings());
            for name in map["settings_of_law"].as_array().expect("a list") {
                assert!(map.contains_key(name.as_str().expect("a name")), "{}: {name}", preset.name);
            }
        }
    }
}
