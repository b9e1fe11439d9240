//! The settings of a run as JSON.

use crate::flock::Settings;
use crate::flock::layout::Point;
use crate::flock::settings::{TUNABLES, Waypoint};
use glam::Vec3;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The settings of a flock, one entry per setting under its name and in its unit, and
/// `settings_of_law`, the names of those that the law reads.
///
/// Numbers are the shortest decimals that give back the single-precision values used.
pub fn parameters(settings: &Settings) -> Map<String, Value> {
    let waypoint =
        |waypoint: &Waypoint| json!({ "seconds": number(waypoint.seconds), "position": vector(waypoint.position) });
    let point = |point: &Point| {
        let Point { position, reach, strength } = *point;
        json!({ "position": vector(position), "reach": number(reach), "strength": number(strength) })
    };
    let named = [
        ("program", json!(concat!("starlings ", env!("CARGO_PKG_VERSION")))),
        ("preset", json!(settings.preset)),
        ("law", json!(settings.law.name_in_files())),
        ("engine", json!(settings.engine.name())),
        ("search", json!(settings.search.name())),
        ("settings_of_law", settings.law.settings().map(|setting| json!(setting.name())).collect()),
        ("boids", json!(settings.boids)),
        ("seed", json!(settings.seed)),
        ("world_center", vector(settings.world.center)),
        ("world_size", vector(settings.world.half_size * 2.0)),
        ("plane", json!(settings.plane)),
        ("walls", json!(settings.walls.name())),
        ("spawn", json!(settings.spawn.name())),
        ("cursor", settings.cursor.iter().map(waypoint).collect()),
        ("leader", json!(settings.leader)),
        ("current", vector(settings.current)),
        ("targets", json!(settings.targets)),
        ("points", settings.points.iter().map(point).collect()),
        ("obstacle", settings.obstacles.iter().map(|obstacle| json!(obstacle.to_string())).collect()),
        ("states", json!(settings.states.name())),
        ("weights", json!(settings.weights.as_deref().map(digest_of))),
    ];
    let numbers = TUNABLES.iter().map(|tunable| (tunable.setting.name(), number((tunable.value)(settings))));
    named.into_iter().chain(numbers).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The settings of a picture's flock as JSON; and under `color_range` the values of the first and of the last color, if its colors stand
/// for amounts.
pub fn parameters_of_picture(settings: &Settings, color_range: Option<[f32; 2]>) -> String {
    let range = color_range.map(|range| ("color_range".to_owned(), range.map(number).into_iter().collect()));
    Value::Object(parameters(settings).into_iter().chain(range).collect()).to_string()
}

/// Weights may be many: the SHA-256 of their bytes stands for them.
fn digest_of(weights: &[f32]) -> String {
    let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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
    fn a_picture_has_the_values_of_its_colors() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let plain = Value::Object(parameters(&settings));
        assert_eq!(parameters_of_picture(&settings, None), plain.to_string());
        let text = parameters_of_picture(&settings, Some([0.1, 7.0]));
        assert!(text.contains("\"color_range\":[0.1,7.0]"), "{text}");
    }

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
