//! Fields of view, and the nearest few: the same boids as by all pairs, by every search.

use crate::common::perceived::{WAYS, check, flock, without_radius};
use crate::common::torus::{LIES, Lie};
use crate::common::twin::{TOLERANCE, distances};
use crate::{common, laws, laws_by_searches, sorted_state};
use starlings::flock::search::{SEARCHES, SearchInfo};
use starlings::flock::{BoidState, Observation, Preset, Settings, Walls};
use starlings::offscreen::Offscreen;
use starlings::vk::Device;
use std::sync::Arc;

/// Compares one step with all pairs.
fn probe(device: &Arc<Device>, case: &str, settings: &Settings, state: &BoidState) {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state_at(state, 0).expect("the state goes up");
    simulation.advance(1).expect("the step runs");
    check(case, settings, state, &simulation.flock().state().expect("the state comes back"));
}

/// Within the radius, or without one between walls of these sorts.
fn perceives_like_all_pairs(
    ways: &[(f32, u32)],
    sizes: &[u32],
    lies: &[Lie],
    searches: &[SearchInfo],
    without: &[Walls],
) {
    let Some(device) = common::device() else { return };
    for (info, (view_angle, nearest)) in searches.iter().flat_map(|info| ways.iter().map(move |&way| (info, way))) {
        for (&boids, (&lie, is_lattice)) in sizes
            .iter()
            .flat_map(|boids| lies.iter().flat_map(|lie| [(lie, false), (lie, true)]).map(move |l| (boids, l)))
        {
            let (settings, state) = flock(boids, lie, is_lattice);
            let settings = Settings { search: info.search, view_angle, nearest, ..settings };
            let case = format!("{boids} boids, {lie:?}, {view_angle} degrees, {nearest} nearest, by {}", info.name);
            if without.is_empty() {
                probe(&device, &case, &settings, &state);
            }
            for &walls in without {
                let (settings, state) = without_radius(&settings, &state, walls);
                probe(&device, &format!("{case}, without radius, {walls}"), &settings, &state);
            }
        }
    }
}

#[test]
fn boids_perceive_those_of_all_pairs() {
    perceives_like_all_pairs(&[(120.0, 3)], &[1, 9, 300], &[Lie::Uniform, Lie::Plane], SEARCHES, &[]);
}

#[test]
fn the_nearest_are_those_of_all_pairs_however_far() {
    perceives_like_all_pairs(&[(120.0, 3)], &[1, 9, 300], &[Lie::Uniform, Lie::Collapsed], SEARCHES, &WALLS);
}

/// A torus, and no end.
const WALLS: [Walls; 2] = [Walls::Wrap, Walls::None];

#[test]
#[ignore = "long: every placement"]
fn boids_perceive_those_of_all_pairs_wherever_they_are() {
    perceives_like_all_pairs(&WAYS, &[1, 2, 7, 8, 9, 1_000], &LIES, SEARCHES, &[]);
    perceives_like_all_pairs(&WAYS, &[20_011], &LIES, &SEARCHES[..2], &[]);
}

#[test]
#[ignore = "long: every placement, and large flocks"]
fn the_nearest_are_those_of_all_pairs_however_far_wherever_they_are() {
    let ways = WAYS.map(|(view_angle, nearest)| (view_angle, nearest.max(2)));
    let lies: Vec<Lie> = LIES.into_iter().chain([Lie::Collapsed]).collect();
    perceives_like_all_pairs(&ways, &[1, 2, 7, 8, 9, 1_000], &lies, SEARCHES, &WALLS);
    let lies = [Lie::Uniform, Lie::Line, Lie::Plane];
    perceives_like_all_pairs(&[(180.0, 7), (60.0, 3)], &[65_537], &lies, &SEARCHES[..2], &WALLS);
}

/// Within the radius, and without one.
fn narrow(row: &Preset, info: &SearchInfo) -> [Settings; 2] {
    let settings = row.settings().with_boids(500);
    let settings = Settings { search: info.search, walls: Walls::None, view_angle: 110.0, nearest: 6, ..settings };
    [settings.clone(), settings.with_radius(f32::INFINITY)]
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
    laws().flat_map(|(row, info)| narrow(row, info)).for_each(|settings| steers(&device, &settings));
}

#[test]
#[ignore = "long: each law by each search"]
fn laws_of_boids_that_see_little_are_their_twins_by_every_search() {
    let Some(device) = common::device() else { return };
    laws_by_searches().flat_map(|(row, info)| narrow(row, info)).for_each(|settings| steers(&device, &settings));
}

/// Order parameters count whom boids perceive.
#[test]
fn no_more_neighbors_are_counted_than_count() {
    let Some(device) = common::device() else { return };
    let few = Settings { nearest: 4, ..Settings::preset("reynolds").expect("a preset").with_boids(3_000) };
    for settings in [few.clone(), few.with_radius(f32::INFINITY)] {
        counted(&device, &settings);
    }
}

fn counted(device: &Arc<Device>, settings: &Settings) {
    let mut offscreen = Offscreen::new(device, settings, 32, 32).expect("a small picture fits");
    offscreen.observe(Some(Observation::Order)).expect("it fits");
    let camera = starlings::render::Camera::fit(&settings.world, 1.0);
    let shot = starlings::offscreen::Shot { camera, steps: 1, options: starlings::vk::RecordOptions::default() };
    offscreen.draw(&shot).expect("a frame");
    let order = offscreen.order().expect("it was asked for");
    let least = if settings.has_no_radius() { 4.0 } else { 3.0 };
    assert!(order.most_neighbors == 4 && order.neighbors >= least, "{order:?}");
}
