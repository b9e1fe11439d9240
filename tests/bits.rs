//! The same start and settings lead to the same state, bit for bit: for every law, search and engine, however the steps
//! are submitted and whatever is observed and drawn meanwhile.

mod common;

use common::placements::{self, Placement};
use glam::Vec3;
use starlings::cpu::{Engine, Threads};
use starlings::flock::random::{self, Stream};
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::{BoidState, EngineKind, Flock, Observation, PRESETS, Search, Settings, Walls};
use starlings::frame::record_steps;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::look::Coloring;
use starlings::render::{Camera, Look};
use starlings::vk::{Device, FrameSlots, RecordOptions};
use std::sync::Arc;

const STEPS: u32 = 12;

/// Every bit of a flock, by identity.
fn bits(state: &BoidState) -> Vec<[u32; 7]> {
    let state = state.by_id();
    let vectors = state.position.iter().zip(&state.velocity);
    let words = |((p, v), &id): ((&Vec3, &Vec3), &u32)| {
        [p.x.to_bits(), p.y.to_bits(), p.z.to_bits(), v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), id]
    };
    vectors.zip(&state.id).map(words).collect()
}

/// Fails unless both flocks have the same bits.
fn assert_same(a: &[[u32; 7]], b: &[[u32; 7]], case: &str) {
    let differing = a.iter().zip(b).filter(|(a, b)| a != b).count();
    assert_eq!((a.len(), differing), (b.len(), 0), "{case}: boids in all, and those with other bits");
}

/// The same flock in another order of storage.
fn shuffled(state: &BoidState) -> BoidState {
    let mut order: Vec<u32> = (0..state.len() as u32).collect();
    order.sort_by_key(|&i| random::bits(99, Stream::Influence, i.into(), 0));
    state.in_order(&order)
}

/// How steps are submitted.
#[derive(Clone, Copy, Debug)]
struct Plan {
    frames_in_flight: usize,
    steps_per_submission: u32,
    observed: Option<Observation>,
    /// Whether the host waits for each submission and reads the state.
    pauses: bool,
}

const PLANS: [Plan; 4] = [
    Plan { frames_in_flight: 1, steps_per_submission: 1, observed: None, pauses: true },
    Plan { frames_in_flight: 2, steps_per_submission: 12, observed: None, pauses: false },
    Plan { frames_in_flight: 3, steps_per_submission: 5, observed: Some(Observation::Order), pauses: false },
    Plan { frames_in_flight: 3, steps_per_submission: 1, observed: Some(Observation::Neighborhoods), pauses: false },
];

/// [`STEPS`] steps of `flock` from `start`.
fn stepped(flock: &mut Flock, start: &BoidState, plan: Plan) -> Vec<[u32; 7]> {
    let Plan { frames_in_flight, steps_per_submission, observed, pauses } = plan;
    flock.set_state_at(start, 0).expect("the state goes up");
    let mut slots = FrameSlots::new(flock.device(), "test", frames_in_flight, false).expect("frame slots");
    while flock.step() < STEPS {
        let index = slots.next_index();
        let slot = slots.next().expect("the device is alive");
        let count = steps_per_submission.min(STEPS - flock.step());
        let steps = match observed {
            Some(what) => flock.prepare_observed_steps(index, count, what),
            None => flock.prepare_steps(index, count),
        };
        let mut rec = slot.begin(RecordOptions::default()).expect("recording");
        record_steps(&mut rec, flock, &steps);
        rec.finish().expect("recording");
        slot.submit(None).expect("submission");
        if pauses {
            flock.state().expect("the state comes back");
        }
    }
    slots.wait_all().expect("the device is alive");
    bits(&flock.state().expect("the state comes back"))
}

/// A flock from `start`, by every plan, from another order of storage, and in many dispatches.
fn same_however_submitted(device: &Arc<Device>, settings: &Settings, start: &BoidState) {
    let case = format!("{} by {}, {} boids", settings.preset, settings.search, settings.boids);
    let mut flock = Flock::new(device, settings, 3).expect("a flock of valid settings fits");
    flock.start_observing(3).expect("a small flock fits");
    let wanted = stepped(&mut flock, start, PLANS[1]);
    assert!(settings.boids < 1_000 || wanted != bits(start), "{case}: nothing has moved");
    for plan in PLANS {
        assert_same(&stepped(&mut flock, start, plan), &wanted, &format!("{case}, {plan:?}"));
    }
    assert_same(&stepped(&mut flock, &shuffled(start), PLANS[2]), &wanted, &format!("{case}, in another order"));
    flock.set_budget(1.0);
    assert_same(&stepped(&mut flock, start, PLANS[3]), &wanted, &format!("{case}, in slices"));
}

/// Every law with every search, in flocks of these sizes. Boids move fast, so that many change their cell in each step.
fn every_law_by_every_search(sizes: &[u32]) {
    let Some(device) = common::device() else { return };
    for (row, info) in PRESETS.iter().flat_map(|row| SEARCHES.iter().map(move |info| (row, info))) {
        let most = if info.grid == GridKind::None { 1_000 } else { 5_000 };
        for &boids in sizes.iter().filter(|&&boids| boids <= most) {
            let settings = Settings { search: info.search, ..row.settings().with_boids(boids) };
            if settings.validate().is_err() {
                continue; // A torus of one boid is too short.
            }
            let settings = Settings { engine: EngineKind::Gpu, time_step: 4.0 * settings.time_step, ..settings };
            same_however_submitted(&device, &settings, &starlings::flock::spawn(&settings));
        }
    }
}

#[test]
fn every_law_by_every_search_has_the_same_bits() {
    // Of two workgroups.
    every_law_by_every_search(&[300]);
}

#[test]
#[ignore = "long: one boid, and flocks of many workgroups"]
fn every_law_by_every_search_has_the_same_bits_at_every_size() {
    every_law_by_every_search(&[1, 97, 1_000, 5_000]);
}

/// All boids in one cell, on the borders of cells, and outside the grid.
#[test]
fn awkward_places_have_the_same_bits() {
    let Some(device) = common::device() else { return };
    for info in SEARCHES {
        for placement in [Placement::OneCell, Placement::OnBorders, Placement::Outside] {
            let settings = placements::settings("reynolds", 1_025, placement);
            let settings = Settings { search: info.search, ..settings };
            same_however_submitted(&device, &settings, &placements::place(&settings, placement));
        }
    }
}

/// With a leader, targets, a current and walls; and with noise, limited turns, a least speed and kinds on a torus.
fn influenced_flocks(boids: u32) {
    let Some(device) = common::device() else { return };
    for (row, walls) in PRESETS.iter().flat_map(|row| [(row, Walls::Bounce), (row, Walls::Wrap)]) {
        let settings = row.settings().with_boids(boids);
        let current = Vec3::new(0.0, 3.0, -2.0);
        let mut settings = Settings { leader: Some(5), targets: 4, current, walls, influenced: 0.5, ..settings };
        if walls == Walls::Wrap {
            (settings.noise, settings.max_turn, settings.min_speed) = (0.3, 300.0, 0.5);
            settings = common::kinds::all(row, settings);
        }
        let settings = Settings { engine: EngineKind::Gpu, search: SEARCHES[0].search, ..settings };
        same_however_submitted(&device, &settings, &starlings::flock::spawn(&settings));
    }
}

#[test]
fn influenced_flocks_have_the_same_bits() {
    influenced_flocks(400);
}

#[test]
#[ignore = "long: larger flocks"]
fn influenced_flocks_have_the_same_bits_when_large() {
    influenced_flocks(1_000);
}

/// [`STEPS`] steps, drawn every `stride` steps in pictures of that size.
fn drawn(device: &Arc<Device>, settings: &Settings, look: Look, stride: u32, (width, height): (u32, u32)) -> BoidState {
    let mut offscreen = Offscreen::with_look(device, settings, look, width, height).expect("a small picture fits");
    for _ in 0..STEPS / stride {
        let camera = Camera::of(settings, width as f32 / height as f32);
        let shot = Shot { camera, steps: stride, options: RecordOptions::default() };
        offscreen.draw(&shot).expect("a frame");
    }
    offscreen.flock().state().expect("the state comes back")
}

/// Drawn or not, in any look and size, by either kind of engine.
fn drawing(presets: &[&str]) {
    let Some(device) = common::device() else { return };
    for row in PRESETS.iter().filter(|row| presets.contains(&row.name)) {
        for (engine, search) in [
            (EngineKind::Gpu, SEARCHES[0].search),
            (EngineKind::Gpu, Search::AllPairs),
            (EngineKind::Cpu, Search::SortedGrid),
        ] {
            let settings = Settings { engine, search, ..row.settings().with_boids(500) };
            let start = starlings::flock::spawn(&settings);
            let wanted = match Engine::of(&settings).expect("valid settings") {
                Some(mut engine) => {
                    engine.advance(STEPS);
                    bits(&engine.state())
                }
                None => {
                    let mut flock = Flock::new(&device, &settings, 1).expect("a small flock fits");
                    stepped(&mut flock, &start, Plan { frames_in_flight: 1, ..PLANS[1] })
                }
            };
            let plain = Look { trail: 0.0, color: Coloring::Natural, ..Look::of(&settings) };
            let rich = Look { trail: 0.3, color: Coloring::Neighbors, ..plain.clone() };
            for (look, stride, size) in
                [(plain.clone(), 1, (64, 36)), (plain, 4, (33, 47)), (rich.clone(), 1, (47, 33)), (rich, 3, (64, 36))]
            {
                if engine.is_cpu() && look.color == Coloring::Neighbors {
                    continue; // Neighbors are counted by kernels.
                }
                let got = bits(&drawn(&device, &settings, look, stride, size));
                assert_same(&got, &wanted, &format!("{} by {search}, {engine}, every {stride}, {size:?}", row.name));
            }
        }
    }
}

/// A law without states, and one with.
#[test]
fn drawing_changes_no_bit() {
    drawing(&["reynolds", "cursor"]);
}

#[test]
#[ignore = "long: every preset"]
fn drawing_changes_no_bit_of_any_preset() {
    let all: Vec<&str> = PRESETS.iter().map(|row| row.name).collect();
    drawing(&all);
}

/// The CPU engine, on one core or all, from any order of storage, observed or not.
fn cpu_engine(sizes: &[u32]) {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |s| (row, s))) {
        for &boids in sizes {
            let settings = Settings { search, ..placements::settings(row.name, boids, Placement::Uniform) };
            let settings = Settings { time_step: 4.0 * settings.time_step, noise: 0.3, max_turn: 300.0, ..settings };
            let settings = if boids == 97 { common::kinds::all(row, settings) } else { settings };
            let start = starlings::flock::spawn(&settings);
            let run = |threads, start: &BoidState, strides: u32| {
                let mut engine = Engine::new(&settings, threads).expect("valid settings");
                engine.set_state_at(start, 0);
                for _ in 0..STEPS / strides {
                    engine.advance(strides);
                    engine.order();
                }
                bits(&engine.state())
            };
            let case = format!("{} by {search}, {boids} boids", row.name);
            let mut spawned = Engine::new(&settings, Threads::All).expect("valid settings");
            spawned.advance(STEPS);
            let wanted = bits(&spawned.state());
            assert_same(&run(Threads::One, &start, 1), &wanted, &format!("{case}, one core"));
            assert_same(&run(Threads::All, &shuffled(&start), 4), &wanted, &format!("{case}, in another order"));
        }
    }
}

#[test]
fn the_cpu_engine_has_the_same_bits() {
    cpu_engine(&[97, 500]);
}

#[test]
#[ignore = "long: one boid, and flocks with work for many threads"]
fn the_cpu_engine_has_the_same_bits_at_every_size() {
    cpu_engine(&[1, 97, 1_000, 5_000]);
}
