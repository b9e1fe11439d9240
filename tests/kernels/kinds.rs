//! Kinds of boids and hunters: as all pairs say, by every search; and every law with them as its twin.

use crate::common::kinds::{all, check_hunt, hunt, three};
use crate::common::perceived::{check, flock};
use crate::common::torus::{LIES, Lie};
use crate::{common, laws, laws_by_searches, steered};
use starlings::flock::search::{SEARCHES, SearchInfo};
use starlings::flock::{BoidState, EngineKind, Observation, Preset, Search, Settings, SpawnShape, Walls};
use starlings::offscreen::{Offscreen, Shot};
use starlings::vk::{Device, RecordOptions};
use std::sync::Arc;

fn stepped(device: &Arc<Device>, settings: &Settings, state: &BoidState) -> BoidState {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state_at(state, 0).expect("the state goes up");
    simulation.advance(1).expect("the step runs");
    simulation.flock().state().expect("the state comes back")
}

/// All around, and the nearest three in a field of view.
const WAYS: [(f32, u32); 2] = [(180.0, 0), (120.0, 3)];

/// The default search, and one that sorts otherwise and looks for the closest among all.
const TWO: [Search; 2] = [Search::QuantizedGrid, Search::BitonicGrid];

fn feel_like_all_pairs(sizes: &[u32], lies: &[Lie], ways: &[(f32, u32)], searches: &[Search]) {
    let Some(device) = common::device() else { return };
    for (&search, &(view_angle, nearest)) in searches.iter().flat_map(|by| ways.iter().map(move |way| (by, way))) {
        for (&boids, &lie) in sizes.iter().flat_map(|boids| lies.iter().map(move |lie| (boids, lie))) {
            let (settings, state) = flock(boids, lie, false);
            let settings = three(Settings { search, view_angle, nearest, ..settings });
            let case = format!("{boids} boids, {lie:?}, {nearest} nearest, by {search}");
            check(&case, &settings, &state, &stepped(&device, &settings, &state));
        }
    }
}

#[test]
fn kinds_feel_for_each_other_as_all_pairs_say() {
    feel_like_all_pairs(&[1, 9, 300], &[Lie::Uniform], &WAYS[1..], &TWO);
}

#[test]
#[ignore = "long: every placement, and large flocks"]
fn kinds_feel_for_each_other_as_all_pairs_say_wherever_they_are() {
    feel_like_all_pairs(&[1, 2, 7, 8, 9, 1_000], &LIES, &WAYS, &every_search());
    feel_like_all_pairs(&[65_537], &[Lie::Uniform, Lie::Plane], &WAYS, &TWO);
}

fn every_search() -> Vec<Search> {
    SEARCHES.iter().map(|info| info.search).collect()
}

fn hunt_like_all_pairs(sizes: &[u32], lies: &[Lie], searches: &[Search]) {
    let Some(device) = common::device() else { return };
    for &search in searches {
        for (&boids, &lie) in sizes.iter().flat_map(|boids| lies.iter().map(move |lie| (boids, lie))) {
            let (settings, state) = hunt(boids, lie);
            let settings = Settings { search, ..settings };
            let case = format!("{boids} boids, {lie:?}, by {search}");
            let stride = 1 + boids as usize / 20_000;
            check_hunt(&case, &settings, &state, &stepped(&device, &settings, &state), stride);
        }
    }
}

#[test]
fn hunters_chase_the_nearest_prey_which_flees_them() {
    hunt_like_all_pairs(&[1, 700], &[Lie::Corners], &TWO);
}

#[test]
#[ignore = "long: every placement, and large flocks"]
fn hunters_chase_the_nearest_prey_wherever_they_are() {
    hunt_like_all_pairs(&[1, 2, 7, 8, 9, 1_000], &LIES, &every_search());
    hunt_like_all_pairs(&[65_537], &[Lie::Uniform, Lie::Plane], &TWO);
}

/// On a torus, and between walls that push.
fn mixed(row: &Preset, info: &SearchInfo) -> [Settings; 2] {
    [Walls::Wrap, Walls::Push].map(|walls| {
        let settings = row.settings().with_boids(500);
        all(row, Settings { search: info.search, walls, spawn: SpawnShape::Box, ..settings })
    })
}

#[test]
fn laws_of_kinds_steer_like_their_twins() {
    let Some(device) = common::device() else { return };
    for settings in laws().map(|(row, info)| mixed(row, info)[0].clone()) {
        steered(&device, &settings, &format!("{} by {}", settings.preset, settings.search));
    }
}

#[test]
#[ignore = "long: each law by each search"]
fn laws_of_kinds_steer_like_their_twins_by_every_search() {
    let Some(device) = common::device() else { return };
    for settings in laws_by_searches().flat_map(|(row, info)| mixed(row, info)) {
        steered(&device, &settings, &format!("{} by {}", settings.preset, settings.search));
    }
}

/// Who is not noticed is not counted.
#[test]
fn order_parameters_count_whom_kinds_notice() {
    let Some(device) = common::device() else { return };
    let (settings, _) = flock(2_000, Lie::Uniform, false);
    let preset = Settings::preset("reynolds").expect("a preset");
    let settings = three(Settings { law: preset.law, engine: EngineKind::Gpu, ..settings });
    let order = |settings: &Settings| {
        let mut offscreen = Offscreen::new(&device, settings, 32, 32).expect("a small picture fits");
        offscreen.observe(Some(Observation::Order)).expect("it fits");
        let camera = starlings::render::Camera::fit(&settings.world, 1.0);
        offscreen.draw(&Shot { camera, steps: 1, options: RecordOptions::default() }).expect("a frame");
        offscreen.order().expect("it was asked for").neighbors
    };
    // Of the neighbors of a, c are 1 of 9; c do not notice themselves.
    let (all, noticed) = (order(&Settings { feelings: Vec::new(), ..settings.clone() }), order(&settings));
    let share = 1.0 - (5.0 / 9.0) * (1.0 / 9.0) - (1.0 / 9.0) * (1.0 / 9.0);
    assert!((noticed / all - share).abs() < 0.02, "{noticed} of {all}");
}
