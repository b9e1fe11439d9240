//! Fields of view, and the nearest few: the same boids as by all pairs, by every search.

use crate::common::perceived::{WAYS, check, flock};
use crate::common::torus::{LIES, Lie};
use crate::common::twin::{TOLERANCE, distances};
use crate::{common, laws, laws_by_searches, sorted_state};
use starlings::flock::search::{SEARCHES, SearchInfo};
use starlings::flock::{Observation, Preset, Settings, Walls};
use starlings::offscreen::Offscreen;
use starlings::vk::Device;
use std::sync::Arc;

fn perceives_like_all_pairs(ways: &[(f32, u32)], sizes: &[u32], lies: &[Lie], searches: &[SearchInfo]) {
    let Some(device) = common::device() else { return };
    for (info, (view_angle, nearest)) in searches.iter().flat_map(|info| ways.iter().map(move |&way| (info, way))) {
        for (&boids, (&lie, is_lattice)) in sizes
            .iter()
            .flat_map(|boids| lies.iter().flat_map(|lie| [(lie, false), (lie, true)]).map(move |l| (boids, l)))
        {
            let (settings, state) = flock(boids, lie, is_lattice);
            let settings = Settings { search: info.search, view_angle, nearest, ..settings };
            let mut simulation = common::simulation(&device, &settings, None);
            simulation.flock_mut().set_state_at(&state, 0).expect("the state goes up");
            simulation.advance(1).expect("the step runs");
            let probed = simulation.flock().state().expect("the state comes back");
            let case = format!("{boids} boids, {lie:?}, {view_angle} degrees, {nearest} nearest, by {}", info.name);
            check(&case, &settings, &state, &probed);
        }
    }
}

#[test]
fn boids_perceive_those_of_all_pairs() {
    perceives_like_all_pairs(&[(120.0, 3)], &[1, 9, 300], &[Lie::Uniform, Lie::Plane], SEARCHES);
}

#[test]
#[ignore = "long: every placement"]
fn boids_perceive_those_of_all_pairs_wherever_they_are() {
    perceives_like_all_pairs(&WAYS, &[1, 2, 7, 8, 9, 1_000], &LIES, SEARCHES);
    perceives_like_all_pairs(&WAYS, &[20_011], &LIES, &SEARCHES[..2]);
}

fn narrow(row: &Preset, info: &SearchInfo) -> Settings {
    let settings = row.settings().with_boids(500);
    Settings { search: info.search, walls: Walls::None, view_angle: 110.0, nearest: 6, ..settings }
}

fn steers(device: &Arc<Device>, settings: &Settings) {
    let mut simulation = common::simulation(device, settings, None);
    simulation.advance(1).expect("the step runs");
    let after = simulation.flock().state().expect("the state comes back");
    let (velocity, _) = distances(settings, &sorted_state(simulation.flock()), &after);
    assert!(velocity < TOLERANCE, "{} by {}: velocity off by {velocity:e}", settings.preset, settings.search);
}

#[test]
fn laws_of_boids_that_see_little_are_their_twins() {
    let Some(device) = common::device() else { return };
    laws().for_each(|(row, info)| steers(&device, &narrow(row, info)));
}

#[test]
#[ignore = "long: each law by each search"]
fn laws_of_boids_that_see_little_are_their_twins_by_every_search() {
    let Some(device) = common::device() else { return };
    laws_by_searches().for_each(|(row, info)| steers(&device, &narrow(row, info)));
}

/// Order parameters count whom boids perceive.
#[test]
fn no_more_neighbors_are_counted_than_count() {
    let Some(device) = common::device() else { return };
    let settings = Settings { nearest: 4, ..Settings::preset("reynolds").expect("a preset").with_boids(3_000) };
    let mut offscreen = Offscreen::new(&device, &settings, 32, 32).expect("a small picture fits");
    offscreen.observe(Some(Observation::Order)).expect("it fits");
    let camera = starlings::render::Camera::fit(&settings.world, 1.0);
    let shot = starlings::offscreen::Shot { camera, steps: 1, options: starlings::vk::RecordOptions::default() };
    offscreen.draw(&shot).expect("a frame");
    let order = offscreen.order().expect("it was asked for");
    assert!(order.most_neighbors == 4 && order.neighbors > 3.0, "{order:?}");
}
