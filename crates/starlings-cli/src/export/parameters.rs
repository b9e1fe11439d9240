//! The settings of a run as JSON.

use glam::Vec3;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use starlings::flock::Settings;
use starlings::flock::layout::Point;
use starlings::flock::settings::{TUNABLES, Waypoint};

/// The settings of a flock, one entry per setting under its name and in its unit, and `settings_of_law`, the names of
/// those that the law reads.
///
/// Numbers are the shortest decimals that give back the single-precision values used.
pub fn parameters(settings: &Settings) -> Map<String, Value> {
    let waypoint =
        |waypoint: &Waypoint| json!({ "seconds": number(waypoint.seconds), "position": vector(waypoint.position) });
    let path = |path: &[Waypoint]| path.iter().map(waypoint).collect::<Value>();
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
        ("cursor", path(&settings.cursor)),
        ("leader", json!(settings.leader)),
        ("current", vector(settings.current)),
        ("targets", json!(settings.targets)),
        ("predator", path(&settings.predator)),
        ("points", settings.points.iter().map(point).collect()),
        ("points_paths", settings.paths.points.iter().map(|one| path(one)).collect()),
        ("obstacle", settings.obstacles.iter().map(|obstacle| json!(obstacle.to_string())).collect()),
        ("obstacle_paths", settings.paths.obstacles.iter().map(|one| path(one)).collect()),
        ("kinds", settings.kinds.iter().map(|kind| json!(kind.to_string())).collect()),
        ("feelings", settings.feelings.iter().map(|feeling| json!(feeling.to_string())).collect()),
        ("nearest", json!(settings.nearest)),
        ("noise_form", json!(settings.noise_form.name())),
        ("states", json!(settings.states.name())),
        ("weights", json!(settings.weights.as_deref().map(digest_of))),
        ("speeds", json!(settings.speeds.as_ref().map(|speeds| digest_of(speeds.factors())))),
    ];
    let numbers = TUNABLES.iter().map(|tunable| (tunable.setting.name(), number((tunable.value)(settings))));
    named.into_iter().chain(numbers).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The settings of a picture's flock as JSON; and under `color_range` the values of the first and of the last color, if
/// its colors stand for amounts.
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

/// `serde_json` would widen 0.1 to 0.10000000149011612. JSON has no infinity.
fn number(value: f32) -> Value {
    if value == f32::INFINITY {
        return json!("inf");
    }
    json!(value.to_string().parse::<f64>().unwrap_or(f64::from(value)))
}
