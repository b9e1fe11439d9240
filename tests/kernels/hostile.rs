//! States that no flock should have: numbers that are not finite, and boids all in one place, on one line or in one
//! plane.
//!
//! A boid whose state is not finite is put far away (docs/architecture.md). The others must move as if it were absent:
//! on the GPU to the bit as in a flock without it; on the CPU up to rounding, because vectors sum in the order of
//! storage.

use crate::common;
use crate::common::placements::{self, Placement};
use glam::Vec3;
use starlings::cpu::Engine;
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, EngineKind, PRESETS, Search, Settings, Walls, spawn};
use starlings::vk::Device;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The flock after `steps` steps from `state`, by identity.
fn after(device: &Arc<Device>, settings: &Settings, state: &BoidState, steps: u32) -> BoidState {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state(state).expect("the state goes up");
    simulation.advance(steps).expect("the steps run");
    simulation.flock().state().expect("the state comes back").by_id()
}

/// The same by the CPU engine.
fn after_on_cpu(settings: &Settings, state: &BoidState, steps: u32) -> BoidState {
    let mut engine = Engine::of(settings).expect("valid settings").expect("a CPU engine");
    engine.set_state_at(state, 0);
    engine.advance(steps);
    engine.state().by_id()
}

fn is_finite(state: &BoidState) -> bool {
    state.position.iter().chain(&state.velocity).all(|v| v.is_finite())
}

/// 2,000 boids, of which each second one has a state that is not finite, and the same flock without those.
fn planted(settings: &Settings) -> (BoidState, Settings, BoidState) {
    let mut state = spawn(settings).by_id();
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for i in (1..state.len()).step_by(2) {
        let (number, kind) = (bad[i / 2 % 3], i / 6 % 5);
        match kind {
            0 => state.position[i] = Vec3::splat(number),
            1 => state.position[i][i % 3] = number,
            2 => state.velocity[i] = Vec3::splat(number),
            3 => state.velocity[i][i % 3] = number,
            _ => (state.position[i].x, state.velocity[i].z) = (number, bad[(i + 1) % 3]),
        }
    }
    let fewer = Settings { boids: settings.boids / 2, ..settings.clone() };
    let half = |list: &[Vec3]| list.iter().copied().step_by(2).collect::<Vec<_>>();
    let others =
        BoidState { position: half(&state.position), velocity: half(&state.velocity), id: (0..fewer.boids).collect() };
    (state, fewer, others)
}

/// Each second boid of `all` must be that of `others`, up to `most` of its length.
fn untouched(what: &str, all: &BoidState, others: &BoidState, most: f32) {
    assert!(is_finite(all), "{what}");
    for (list, wanted) in [(&all.position, &others.position), (&all.velocity, &others.velocity)] {
        for (i, want) in wanted.iter().enumerate() {
            let apart = list[2 * i].distance(*want);
            assert!(apart <= most * want.length(), "{what}: boid {} is {apart} away from {want}", 2 * i);
        }
    }
}

/// By every search with one law, and with the others by that of their preset; or by every search with `every` law.
fn not_finite_touch_nobody(every: bool) {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        // Noise depends on a boid's number, and the others have other ones.
        let settings = Settings { noise: 0.0, ..placements::settings(row.name, 2_000, Placement::Uniform) };
        let every = every || row.name == "reynolds";
        for info in SEARCHES.iter().filter(|info| every || info.search == settings.search) {
            let settings = Settings { search: info.search, walls: Walls::None, ..settings.clone() };
            let (state, fewer, others) = planted(&settings);
            assert_eq!(state.non_finite(), 1_000);
            let what = format!("{} {}", row.name, info.name);
            let all = after(&device, &settings, &state, 1);
            untouched(&what, &all, &after(&device, &fewer, &others, 1), 0.0);
            assert_eq!(all.non_finite(), 1_000, "{what}: they stay so where walls do not hold them");
        }
        for search in [Search::SortedGrid, Search::AllPairs] {
            let on_cpu = |settings: &Settings| Settings { engine: EngineKind::Cpu, search, ..settings.clone() };
            let settings = Settings { walls: Walls::None, ..on_cpu(&settings) };
            let (state, fewer, others) = planted(&settings);
            let all = after_on_cpu(&settings, &state, 1);
            untouched(row.name, &all, &after_on_cpu(&fewer, &others, 1), 1e-5);
            assert_eq!(all.non_finite(), 1_000, "{}: on the CPU", row.name);
        }
        for walls in [Walls::Push, Walls::Bounce, Walls::Wrap] {
            let settings = Settings { walls, ..settings.clone() };
            let (state, fewer, others) = planted(&settings);
            let what = format!("{} {walls}", row.name);
            let all = after(&device, &settings, &state, 1);
            untouched(&what, &all, &after(&device, &fewer, &others, 1), 0.0);
            assert!(is_finite(&after(&device, &settings, &state, 10)), "{what}");
        }
    }
}

#[test]
fn boids_whose_state_is_not_finite_touch_nobody() {
    not_finite_touch_nobody(false);
}

#[test]
#[ignore = "long: every law by every search"]
fn boids_whose_state_is_not_finite_touch_nobody_by_any_search() {
    not_finite_touch_nobody(true);
}

/// Numbers that overflow in a step are contained where the step writes them.
#[test]
fn a_step_that_overflows_leaves_a_boid_far_away() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = placements::settings(row.name, 500, Placement::Uniform);
        let mut state = spawn(&settings).by_id();
        for i in 0..100 {
            state.position[i] = Vec3::splat(f32::MAX);
            state.velocity[i] = Vec3::splat(f32::MAX);
        }
        for walls in [Walls::None, Walls::Push, Walls::Bounce, Walls::Wrap] {
            let settings = Settings { walls, ..settings.clone() };
            assert!(is_finite(&after(&device, &settings, &state, 5)), "{} {walls}", row.name);
            let on_cpu = Settings { engine: EngineKind::Cpu, search: Search::SortedGrid, ..settings };
            assert!(is_finite(&after_on_cpu(&on_cpu, &state, 5)), "{} {walls} on the CPU", row.name);
        }
    }
}

/// A leader that is not finite has no followers.
#[test]
fn a_non_finite_leader_leads_nobody() {
    let Some(device) = common::device() else { return };
    let settings = placements::settings("reynolds", 300, Placement::Uniform);
    let mut settings = Settings { leader: Some(7), leader_weight: 1.0, walls: Walls::None, ..settings };
    let mut state = spawn(&settings).by_id();
    (state.position[7], state.velocity[7]) = (Vec3::NAN, Vec3::NAN);
    let led = after(&device, &settings, &state, 1);
    settings.leader = None;
    let free = after(&device, &settings, &state, 1);
    assert_eq!((led.position, led.velocity), (free.position, free.velocity));
}

#[test]
fn flocks_in_one_place_on_a_line_or_in_a_plane_come_apart() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = row.settings().with_boids(200);
        let center = settings.world.center;
        for (name, kept) in [("place", Vec3::ZERO), ("line", Vec3::X), ("plane", Vec3::ONE.with_y(0.0))] {
            let mut state = spawn(&settings);
            for position in &mut state.position {
                *position = center + kept * (*position - center);
            }
            for still in [false, true] {
                if still {
                    // All the same way, too: nothing tells two boids in one place apart.
                    let speed = state.velocity[0].length();
                    state.velocity.fill(Vec3::X * speed);
                }
                let later = after(&device, &settings, &state, 60);
                assert!(is_finite(&later), "{}: one {name}", row.name);
                let bits = |v: &Vec3| v.to_array().map(f32::to_bits);
                let places: BTreeSet<_> = later.position.iter().map(bits).collect();
                if !(still && name == "place") {
                    assert_eq!(places.len(), 200, "{}: still together after one {name}", row.name);
                }
            }
        }
    }
}
