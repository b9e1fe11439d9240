//! Neighbors exactly at a radius, and in one place with the boid: so far from the origin that positions lie on a grid.

use crate::common;
use glam::Vec3;
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, Settings, SpawnShape, spawn};
use starlings::reference;

/// Ordered pairs whose distance is exactly `distance`. Offsets are exact here, and so are their squared lengths.
fn pairs_at(state: &BoidState, distance: f32) -> usize {
    let at = |a: &Vec3, b: &Vec3| a.distance_squared(*b) == distance * distance;
    let with = |a: &Vec3| state.position.iter().filter(|b| at(a, b)).count();
    let all: usize = state.position.iter().map(with).sum();
    all - if distance == 0.0 { state.len() } else { 0 }
}

fn far_away(preset: &str, edge: f32, seed: u64) -> Settings {
    let mut settings = Settings::preset(preset).expect("a known preset").with_boids(1_237).with_world_size(edge);
    (settings.world.center, settings.seed, settings.targets) = (Vec3::splat(900_000.0), seed, 0);
    settings.spawn = SpawnShape::Box;
    settings
}

#[test]
fn neighbors_at_the_radius_and_in_one_place_count_as_the_laws_say() {
    let Some(device) = common::device() else { return };
    let mut heading = far_away("counting-sort", 3.0, 40);
    heading.rules.separation_weight = 1.0;
    let mut reynolds = far_away("reynolds", 1.0, 41);
    let rules = &mut reynolds.rules;
    (rules.separation_radius, rules.alignment_radius, rules.cohesion_radius) = (0.03, 0.03, 0.03);
    let (radius, start) = (heading.rules.separation_radius, spawn(&heading));
    assert!(pairs_at(&start, radius) > 100 && pairs_at(&start, 0.0) > 0, "a flock with ties");
    assert!(pairs_at(&spawn(&reynolds), 0.0) > 100);
    for (settings, info) in [heading, reynolds].iter().flat_map(|law| SEARCHES.iter().map(move |info| (law, info))) {
        let settings = Settings { search: info.search, ..settings.clone() };
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
        let got = simulation.flock().state().expect("the state comes back").by_id();
        let mut want = spawn(&settings);
        reference::step(&settings, &mut want, 0);
        for (i, want) in want.by_id().velocity.iter().enumerate() {
            let off = got.velocity[i].distance(*want);
            assert!(off < 1e-5 * want.length(), "{} by {}: boid {i} is {off} off", settings.preset, info.name);
        }
    }
}
