//! Noise, limited turns and a least speed on a device against the twin.

use crate::common::placements::{self, Placement};
use crate::common::twin::{TOLERANCE, distances};
use crate::{common, laws, laws_by_searches, steered};
use starlings::flock::{EngineKind, NoiseForm, Preset, Search, Settings, Walls};
use starlings::vk::Device;
use std::sync::Arc;

/// One preset with every manner: with one form of noise in space, with the other on a plane.
fn all(row: &Preset, search: Search) -> [Settings; 2] {
    [(NoiseForm::Angular, false), (NoiseForm::Vectorial, true)].map(|(noise_form, plane)| {
        let settings = placements::settings(row.name, 400, Placement::Uniform).with_plane(plane);
        // In degrees of which a few boids reach the limit in a step.
        let (max_turn, min_speed) = (20.0 / settings.time_step, 0.5 * settings.full_speed());
        Settings { search, noise: 0.8, noise_form, max_turn, min_speed, walls: Walls::None, ..settings }
    })
}

fn steers(device: &Arc<Device>, settings: &Settings) {
    let of = format!("{} by {}, {} noise", settings.preset, settings.search, settings.noise_form);
    let after = steered(device, settings, &of);
    let slow = after.velocity.iter().filter(|v| v.length() < 0.999 * settings.min_speed).count();
    assert!(settings.law.info().uses_heading || slow == 0, "{of}: {slow} too slow");
}

#[test]
fn laws_with_manners_steer_like_their_twins() {
    let Some(device) = common::device() else { return };
    laws().flat_map(|(row, info)| all(row, info.search)).for_each(|settings| steers(&device, &settings));
}

#[test]
#[ignore = "long: each law by each search"]
fn laws_with_manners_steer_like_their_twins_by_every_search() {
    let Some(device) = common::device() else { return };
    laws_by_searches().flat_map(|(row, info)| all(row, info.search)).for_each(|settings| steers(&device, &settings));
}

/// The engine of the CPU too, by which both searches of it.
#[test]
fn the_engine_has_the_same_manners() {
    for (row, search) in laws().flat_map(|(row, _)| EngineKind::Cpu.searches().into_iter().map(move |by| (row, by))) {
        for settings in all(row, search) {
            let settings = Settings { engine: EngineKind::Cpu, ..settings };
            let mut engine = starlings::cpu::Engine::of(&settings).expect("valid settings").expect("an engine");
            let before = engine.state();
            engine.advance(1);
            let after = engine.state();
            let (before, after) = (before.by_id(), after.by_id());
            let (velocity, _) = distances(&settings, &before, &after);
            assert!(velocity < TOLERANCE, "{} by {search}: velocity off by {velocity:e}", row.name);
        }
    }
}
