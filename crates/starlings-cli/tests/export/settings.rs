//! What exports say of a run: its settings as JSON, and a digest of its boids.

use glam::Vec3;
use serde_json::{Value, json};
use starlings::flock::{BoidState, Settings};
use starlings_cli::export::{digest, parameters, parameters_of_picture};

#[test]
fn the_digest_is_of_these_bytes() {
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(2);
    let vectors = |first: f32| vec![Vec3::new(first, 0.0, -1.0), Vec3::new(0.0, first, 2.0)];
    let state = BoidState { position: vectors(1.0), velocity: vectors(0.5), id: vec![0, 1] };
    // hashlib.sha256(struct.pack('<12f', 1, 0, -1, 0, 1, 2, .5, 0, -1, 0, .5, 2)).hexdigest()
    let wanted = "05af7aae0a4dd671c141b4b9292c8ff69c0ef38ca8ae94a054cd6a0c60329526";
    assert_eq!(digest(&settings, &state), wanted);
    assert_eq!(digest(&settings, &state.in_order(&[1, 0])), wanted, "in another order");
    let turned = BoidState { id: vec![1, 0], ..state };
    assert_ne!(digest(&settings, &turned), wanted, "of other boids");
}

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
    for preset in starlings::flock::PRESETS {
        let map = parameters(&preset.settings());
        for name in map["settings_of_law"].as_array().expect("a list") {
            assert!(map.contains_key(name.as_str().expect("a name")), "{}: {name}", preset.name);
        }
    }
}
