//! Walls that wrap: neighbors are those of a torus.

use crate::common::torus::{LIES, check, flock};
use crate::{common, laws, laws_by_searches, steered};
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::{BoidState, Search, Settings, SpawnShape, Walls, spawn};
use starlings::vk::Device;
use std::sync::Arc;

fn counted(device: &Arc<Device>, settings: &Settings, state: &BoidState) -> BoidState {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state_at(state, 1).expect("the state goes up");
    simulation.advance(1).expect("the step runs");
    simulation.flock().state().expect("the state comes back")
}

fn counts_are_those_of_all_pairs(sizes: &[u32], lengths: &[f32], searches: impl Fn(Search, u32) -> bool) {
    let Some(device) = common::device() else { return };
    for (&boids, &length) in sizes.iter().flat_map(|boids| lengths.iter().map(move |length| (boids, length))) {
        for lie in LIES {
            let (settings, state) = flock(boids, length, lie);
            for info in SEARCHES.iter().filter(|info| searches(info.search, boids)) {
                let settings = Settings { search: info.search, ..settings.clone() };
                let case = format!("{} boids, {length} radii, {lie:?}, by {}", boids, info.name);
                check(&case, &settings, &state, &counted(&device, &settings, &state));
            }
        }
    }
}

/// In a world of two rows, and of seven.
#[test]
fn counts_on_a_torus_are_those_of_all_pairs() {
    counts_are_those_of_all_pairs(&[1, 2, 9, 700], &[2.4, 7.7], |_, _| true);
}

#[test]
fn counts_of_many_on_a_torus_are_those_of_all_pairs() {
    counts_are_those_of_all_pairs(&[10_007], &[9.3], |search, _| search == Search::QuantizedGrid);
}

#[test]
#[ignore = "long: large flocks with every search"]
fn counts_of_more_on_a_torus_are_those_of_all_pairs() {
    counts_are_those_of_all_pairs(&[1, 2, 7, 8, 9, 1_000], &[2.01, 2.4, 3.1, 7.7], |_, _| true);
    counts_are_those_of_all_pairs(&[65_537], &[2.01, 2.4, 9.3], |search, _| search.grid() != GridKind::None);
    counts_are_those_of_all_pairs(&[65_537], &[9.3], |_, _| true);
}

fn steers(device: &Arc<Device>, settings: &Settings) {
    let of = format!("{} by {}", settings.preset, settings.search);
    let after = steered(device, settings, &of);
    let torus = settings.torus().expect("walls that wrap");
    let outside = after.position.iter().filter(|&&place| torus.place(place) != place).count();
    assert_eq!(outside, 0, "{of}");
}

/// Every law, with all that it is drawn to.
fn drawn(preset: &starlings::flock::Preset, search: Search) -> Settings {
    let settings = preset.settings().with_boids(600);
    let mut settings = Settings { walls: Walls::Wrap, spawn: SpawnShape::Box, search, ..settings };
    (settings.leader, settings.targets, settings.influenced) = (Some(5), 3, 0.7);
    let edge = settings.world.half_size.x;
    settings.points = vec![starlings::flock::layout::Point {
        position: glam::Vec3::splat(0.9 * edge),
        reach: 0.8 * edge,
        strength: 3.0,
    }];
    settings
}

#[test]
fn laws_on_a_torus_steer_like_their_twins() {
    let Some(device) = common::device() else { return };
    laws().for_each(|(row, info)| steers(&device, &drawn(row, info.search)));
}

#[test]
#[ignore = "long: each law by each search"]
fn laws_on_a_torus_steer_like_their_twins_by_every_search() {
    let Some(device) = common::device() else { return };
    laws_by_searches().for_each(|(row, info)| steers(&device, &drawn(row, info.search)));
}

/// A state from outside is put into the world at once: it has the neighbors of its places there.
#[test]
fn boids_from_outside_are_put_inside() {
    let Some(device) = common::device() else { return };
    let (settings, state) = flock(1_000, 4.0, LIES[0]);
    let mut outside = state.clone();
    let period = settings.torus().expect("walls that wrap").period().as_vec3();
    for (i, place) in outside.position.iter_mut().enumerate() {
        place[i % 3] += [-2.0, 1.0, 3.0][i / 3 % 3] * period[i % 3];
    }
    let inside = BoidState {
        position: outside.position.iter().map(|&place| settings.torus().expect("one").place(place)).collect(),
        ..outside.clone()
    };
    check("boids from outside", &settings, &inside, &counted(&device, &settings, &outside));
    assert_ne!(spawn(&settings).position, outside.position);
}
