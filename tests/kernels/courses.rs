//! Runs of many steps against the twin, on planes, between walls, and with isolated boids.
//!
//! # Tolerances of a run
//! A flock is chaotic: a difference in the last bit grows with each step, so device and twin may differ by an unknown
//! amount after 100 steps. Two things can be tested:
//!
//! * Each single step of the run, from the device's state before it, must agree with the twin's step of that state. The
//!   tolerance is that of `steering.rs`, 1e-5 of the change of velocity.
//! * The whole run must stay as close to the twin as other runs that differ only by rounding. Such *shadows* of the
//!   twin are perturbed after each step by up to 2^-22 of every coordinate and velocity, a few roundings of single
//!   precision, like those of a device's operations. Device and twin may be [`FACTOR`] times as far apart as the
//!   farthest of [`SHADOWS`] is. The flock is so small that after 100 steps shadows are still within a hundredth of the
//!   world.

use crate::common::twin::outcomes_near;
use crate::{common, sorted_state};
use glam::Vec3;
use starlings::flock::random::{self, Stream};
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::Waypoint;
use starlings::flock::{BoidState, PRESETS, Search, Settings, Walls, spawn};
use starlings::reference;
use starlings::reference::outcomes;
use starlings::reference::steer::boid;

/// Relative L2 distance allowed between the changes of velocity in one step.
const TOLERANCE: f64 = 1e-5;

/// Twins that are perturbed after each step.
const SHADOWS: u64 = 4;

/// How much farther than a shadow the device may be from the twin.
const FACTOR: f32 = 2.0;

/// Relative perturbation of a shadow after each step.
const NUDGE: f32 = 1.0 / (1 << 22) as f32;

/// Steps after which whole runs are compared.
const LENGTHS: [u32; 3] = [1, 10, 100];

fn settings(preset: &str, boids: u32) -> Settings {
    let mut settings = Settings::preset(preset).expect("a known preset").with_boids(boids);
    // Targets and cursor move within the run.
    settings.target_period = 0.5;
    settings
}

/// The searches that a law is tested with: its own, and the default.
fn searches(settings: &Settings) -> Vec<Search> {
    let mut searches = vec![settings.search, SEARCHES[0].search];
    searches.dedup();
    searches
}

/// Compares every step of a run with the twin's step from the same state.
fn follows_its_twin(settings: &Settings, steps: u32) {
    let Some(device) = common::device() else { return };
    let mut simulation = common::simulation(&device, settings, None);
    let (mut error, mut change, mut skipped) = (0.0, 0.0, 0);
    for step in 0..steps {
        simulation.advance(1).expect("the step runs");
        let after = simulation.flock().state().expect("the state comes back");
        let before = sorted_state(simulation.flock());
        let params = settings.step_params(step);
        for i in 0..before.len() {
            let near = outcomes::near(&params, &before, i);
            let (was, is) = (boid(&before, i), boid(&after, i));
            let wanted = outcomes_near(settings, &params, &before, i, &near);
            // A boid exactly at a wall may be turned in this step or in the next.
            let off = |want: &starlings::reference::steer::Boid| (is.velocity - want.velocity).length_squared();
            match wanted.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))) {
                Some(want) => {
                    let place = (is.position - want.position).length() / (1.0 + want.position.length());
                    assert!(place < 1e-6, "{} step {step} boid {i}: {place:e} off", settings.preset);
                    error += off(&want);
                    change += (want.velocity - was.velocity).length_squared();
                }
                None => skipped += 1,
            }
        }
    }
    let off = if error == 0.0 { 0.0 } else { (error / change).sqrt() };
    println!("{} {} by {}: off by {off:.1e}", settings.preset, settings.walls, settings.search);
    assert!(off < TOLERANCE, "{} by {}: velocity off by {off:e}", settings.preset, settings.search);
    assert!(skipped <= 1 + settings.boids * steps / 100, "rounding decides for {skipped}");
}

#[test]
fn each_of_a_hundred_steps_is_the_twins() {
    for row in PRESETS {
        let settings = settings(row.name, 100);
        for search in searches(&settings) {
            follows_its_twin(&Settings { search, ..settings.clone() }, 100);
        }
    }
}

#[test]
fn walls_of_every_kind_are_the_twins() {
    for (preset, walls) in [
        ("counting-sort", Walls::Wrap),
        ("counting-sort", Walls::Bounce),
        ("three-radius", Walls::Wrap),
        ("cursor", Walls::Bounce),
        ("reynolds", Walls::Bounce),
        ("bitonic", Walls::Wrap),
    ] {
        // A small world, so that many meet its walls.
        let settings = settings(preset, 60).with_density(20.0);
        // A torus is at least twice as long as the radius.
        let edge = 2.1 * settings.search_radius();
        let settings = if walls == Walls::Wrap { settings.with_world_size(edge) } else { settings };
        let settings = Settings { walls, search: SEARCHES[0].search, ..settings };
        follows_its_twin(&settings, 40);
        let Some(device) = common::device() else { return };
        let mut simulation = common::simulation(&device, &settings, None);
        let mut state = spawn(&settings);
        for (i, far) in [1e9, -1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].into_iter().enumerate() {
            state.position[i] = Vec3::splat(far);
            state.position[5 + i].z = far;
        }
        simulation.flock_mut().set_state(&state).expect("the state goes up");
        simulation.advance(1).expect("the step runs");
        let after = simulation.flock().state().expect("the state comes back");
        let (low, high) =
            (settings.world.center - settings.world.half_size, settings.world.center + settings.world.half_size);
        for position in &after.position {
            assert!(position.cmpge(low).all() && position.cmple(high).all(), "{preset} {walls}: {position}");
        }
    }
}

/// Each of forty steps under every influence, in a world so small that many meet its walls.
#[test]
fn influenced_courses_are_the_twins() {
    for (row, walls) in PRESETS.iter().flat_map(|row| [(row, Walls::Push), (row, Walls::Bounce)]) {
        let settings = settings(row.name, 60).with_density(20.0);
        let (leader, current) = (Some(7), Vec3::new(2.0, -1.0, 0.5));
        let settings = Settings { walls, leader, targets: 4, current, influenced: 0.7, ..settings };
        follows_its_twin(&Settings { search: SEARCHES[0].search, ..settings }, 40);
    }
}

/// Root mean square of the distances between the boids of two flocks.
fn apart(a: &BoidState, b: &BoidState) -> f32 {
    let squares = a.position.iter().zip(&b.position).map(|(a, b)| a.distance_squared(*b));
    (squares.sum::<f32>() / a.len() as f32).sqrt()
}

#[test]
fn free_courses_stay_as_close_as_rounding_lets_them() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = settings(row.name, 48);
        let twin = |shadow: u64| {
            let mut state = spawn(&settings);
            let mut states = Vec::new();
            for step in 0..*LENGTHS.last().expect("some") {
                reference::step_with(&settings, &mut state, step, Search::AllPairs);
                if shadow > 0 {
                    let seed = shadow << 32 | u64::from(step);
                    for i in 0..state.len() {
                        let nudge = |draw| NUDGE * random::in_cube(seed, Stream::Position, i as u64, draw);
                        state.position[i] *= Vec3::ONE + nudge(0);
                        state.velocity[i] *= Vec3::ONE + nudge(1);
                    }
                }
                if LENGTHS.contains(&(step + 1)) {
                    states.push(state.by_id());
                }
            }
            states
        };
        let want = twin(0);
        let shadows: Vec<Vec<BoidState>> = (1..=SHADOWS).map(twin).collect();
        let mut simulation = common::simulation(&device, &settings, None);
        for (k, length) in LENGTHS.into_iter().enumerate() {
            let done = simulation.flock().step();
            simulation.advance(length - done).and_then(|()| simulation.wait()).expect("the steps run");
            let got = simulation.flock().state().expect("the state comes back").by_id();
            let shadow = shadows.iter().map(|shadow| apart(&shadow[k], &want[k])).fold(0.0, f32::max);
            let device = apart(&got, &want[k]);
            println!("{} after {length} steps: device {device:.1e}, shadows {shadow:.1e}", row.name);
            assert!(shadow < 0.02 * settings.world.half_size.x, "{}: too chaotic to tell, {shadow}", row.name);
            assert!(device <= FACTOR * shadow, "{} after {length} steps: {device} apart, shadows {shadow}", row.name);
        }
    }
}

/// Exactly, under every law.
#[test]
fn a_flock_on_a_plane_stays_in_it() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let mut settings = settings(row.name, 300).on_plane();
        settings.world.center = Vec3::new(0.1, 0.3, -0.7);
        for search in SEARCHES.iter().map(|info| info.search) {
            let settings = Settings { search, ..settings.clone() };
            // Every search for the first steps; the whole run with the preset's own and the default.
            let steps = if searches(&settings).contains(&search) || search == row.settings().search { 100 } else { 2 };
            let mut simulation = common::simulation(&device, &settings, None);
            simulation.advance(steps).and_then(|()| simulation.wait()).expect("the steps run");
            let state = simulation.flock().state().expect("the state comes back");
            assert_ne!(state.by_id().position, spawn(&settings).position);
            for (position, velocity) in state.position.iter().zip(&state.velocity) {
                assert_eq!(position.y.to_bits(), 0.3f32.to_bits(), "{} by {search}: {position}", row.name);
                assert_eq!(velocity.y, 0.0, "{} by {search}: {velocity}", row.name);
            }
        }
        follows_its_twin(&Settings { search: SEARCHES[0].search, ..settings }, 5);
    }
}

/// S3's spawn is flat although its flock is not.
#[test]
fn a_flat_spawn_is_flat_on_the_device() {
    let Some(device) = common::device() else { return };
    let settings = Settings::preset("cursor").expect("a known preset");
    let simulation = common::simulation(&device, &settings, None);
    let state = simulation.flock().state().expect("the state comes back");
    assert!(state.position.iter().all(|p| p.y == 0.0 && p.length() <= 100.0001));
    assert!(state.velocity.iter().any(|v| v.y.abs() > 1.0));
}

/// No boid has a neighbor, so each searches the closest: in a sparse world, in clumps, and on a lattice where many are
/// equally close.
#[test]
fn lonely_boids_find_the_closest_by_every_search() {
    let Some(device) = common::device() else { return };
    let mut settings = settings("cursor", 700).with_world_size(200.0);
    let rules = &mut settings.rules;
    (rules.separation_radius, rules.alignment_radius, rules.cohesion_radius) = (0.5, 1.5, 1.5);
    rules.cohesion_weight = 0.05;
    let lattice = |i: usize| Vec3::new((i % 9) as f32, (i / 9 % 9) as f32, (i / 81) as f32) * 8.0 - 32.0;
    let scattered = |i: usize| 150.0 * random::in_cube(5, Stream::Position, i as u64, 0).powf(3.0);
    let mut starts = [spawn(&settings), spawn(&settings), spawn(&settings)];
    starts[1].position = (0..700).map(lattice).collect();
    starts[2].position = (0..700).map(scattered).collect();
    for (kind, start) in starts.iter().enumerate() {
        for info in SEARCHES {
            let settings = Settings { search: info.search, ..settings.clone() };
            let mut simulation = common::simulation(&device, &settings, None);
            simulation.flock_mut().set_state(start).expect("the state goes up");
            simulation.advance(1).expect("the step runs");
            let after = simulation.flock().state().expect("the state comes back").by_id();
            let params = settings.step_params(0);
            let lonely = (0..700).filter(|&i| outcomes::near(&params, start, i).is_empty()).count();
            assert!(lonely > 350, "only {lonely} of 700 in start {kind}");
            for i in 0..700 {
                let near = outcomes::near(&params, start, i);
                let wanted = outcomes_near(&settings, &params, start, i, &near);
                let off =
                    |want: &starlings::reference::steer::Boid| (want.velocity - after.velocity[i].as_dvec3()).length();
                let off = wanted.iter().map(off).fold(f64::INFINITY, f64::min);
                assert!(wanted.is_empty() || off < 1e-4, "start {kind} by {}: boid {i} is {off} off", info.name);
            }
        }
    }
}

/// The flock follows the cursor from the step on in which that is somewhere else.
#[test]
fn a_cursor_that_is_moved_is_followed() {
    let Some(device) = common::device() else { return };
    let mut settings = settings("cursor", 20);
    settings.rules.cohesion_weight = 0.0;
    let course = |cursor: Option<Vec3>| {
        let mut simulation = common::simulation(&device, &settings, None);
        let cursor = cursor.map(|position| Waypoint { seconds: 0.0, position }).into_iter().collect();
        simulation.go_on(&Settings { cursor, ..settings.clone() }).expect("a place");
        simulation.advance(30).and_then(|()| simulation.wait()).expect("the steps run");
        let state = simulation.flock().state().expect("the state comes back");
        state.velocity.iter().sum::<Vec3>() / 20.0
    };
    let up = Vec3::new(0.0, 4e3, 0.0);
    assert!(course(Some(up)).y > 20.0 && course(Some(-up)).y < -20.0);
    assert!(course(None).y.abs() < 10.0);
}
