//! Without a window: one flock for long, and flocks of all kinds one after the other.

use super::memory::Memory;
use super::{asked, common, duration};
use starlings::flock::{BoidState, EngineKind, Observation, PRESETS, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::look::{BACKDROPS, COLORINGS, SHAPES};
use starlings::render::{Camera, Look};
use starlings::simulation::Simulation;
use starlings::vk::{RecordOptions, Spread};
use std::time::{Duration, Instant};

/// Times in bins that are half a percent wide: the memory of the test itself must not grow.
struct Times {
    bins: Vec<u64>,
    count: u64,
}

impl Times {
    const LEAST_MS: f64 = 1e-4;
    const RATIO: f64 = 1.005;

    fn new() -> Times {
        Times { bins: vec![0; 4200], count: 0 }
    }

    fn push(&mut self, ms: f64) {
        let bin = ((ms / Self::LEAST_MS).max(1.0).ln() / Self::RATIO.ln()) as usize;
        let last = self.bins.len() - 1;
        self.bins[bin.min(last)] += 1;
        self.count += 1;
    }

    /// The time that `part` of all do not exceed, in milliseconds.
    fn at(&self, part: f64) -> f64 {
        let mut left = (part * self.count as f64).ceil() as i64;
        let bin = self.bins.iter().position(|&count| {
            left -= count as i64;
            left <= 0
        });
        Self::LEAST_MS * Self::RATIO.powf(bin.unwrap_or(0) as f64 + 0.5)
    }
}

#[test]
fn binned_times_have_the_right_median() {
    let mut times = Times::new();
    (1..=1000).for_each(|k| times.push(0.01 * f64::from(k)));
    for (part, ms) in [(0.5, 5.0), (0.99, 9.9), (0.001, 0.01)] {
        assert!((times.at(part) / ms - 1.0).abs() < 0.006, "{part}: {}", times.at(part));
    }
}

fn assert_all_there(state: &BoidState) {
    assert_eq!(state.non_finite(), 0, "boids without a finite state");
    assert!(state.by_id().id.iter().zip(0..).all(|(&id, place)| id == place), "an identity is missing");
}

/// The step of one flock: its median and 99th percentile in each quarter and within each second, and the memory of the
/// process.
///
/// A flock that gathers changes the time of a step: by how much within a second tells it from what takes longer.
#[test]
#[ignore = "long: as long as STARLINGS_SOAK_SECONDS says"]
fn a_flock_for_long() {
    let Some(device) = common::device() else { return };
    let boids = asked("STARLINGS_SOAK_BOIDS", 3_000);
    let preset = std::env::var("STARLINGS_SOAK_PRESET").unwrap_or_else(|_| PRESETS[0].name.into());
    let settings =
        Settings::preset(&preset).expect("a preset").with_boids(u32::try_from(boids).expect("a count of boids"));
    let mut simulation = Simulation::new(&device, &settings).expect("room").with_steps_per_submission(1);
    let mut memory = Memory::of("self");
    let mut quarters = [Times::new(), Times::new(), Times::new(), Times::new()];
    let mut ratios = Vec::with_capacity(duration().as_secs() as usize + 1);
    let (begun, whole) = (Instant::now(), duration());
    while begun.elapsed() < whole {
        let round = Instant::now();
        let quarter = (4.0 * begun.elapsed().as_secs_f64() / whole.as_secs_f64()) as usize;
        simulation.clear_timings();
        // As many as are kept, or as a second has.
        for _ in 0..4_000 {
            simulation.advance(1).expect("a step");
            if round.elapsed() > Duration::from_secs(1) {
                break;
            }
        }
        simulation.wait().expect("the device is alive");
        let times = simulation.timings().frame_ms();
        times.iter().for_each(|&ms| quarters[quarter.min(3)].push(ms));
        let second = Spread::of(times);
        ratios.push(second.p99 / second.median);
        memory.sample(0);
    }
    println!("{} on {}: {} boids, {} steps", settings.preset, device.info().name, boids, simulation.flock().step());
    for (k, times) in quarters.iter().enumerate() {
        let (median, p99) = (times.at(0.5), times.at(0.99));
        let (k, ratio, count) = (k + 1, p99 / median, times.count);
        println!(
            "quarter {k}: GPU time of a step: median {median:.4} ms, p99 {p99:.4} ms, ratio {ratio:.2}, {count} steps"
        );
    }
    let (seconds, Spread { median, p99, .. }) = (ratios.len(), Spread::of(&ratios));
    println!("within a second, of {seconds}: ratio {median:.3} in the median, in 99 of 100 at most {p99:.3}");
    assert_all_there(&simulation.flock().state().expect("the state comes back"));
    memory.report("one flock");
}

/// A flock of every preset, engine, shape, coloring and backdrop in turn, each made, measured, drawn and dropped.
#[test]
#[ignore = "long: as long as STARLINGS_SOAK_SECONDS says"]
fn flocks_of_all_kinds_for_long() {
    let Some(device) = common::device() else { return };
    let boids = asked("STARLINGS_SOAK_BOIDS", 1_000);
    let boids = u32::try_from(boids).expect("a count of boids");
    let mut memory = Memory::of("self");
    let (begun, mut round) = (Instant::now(), 0);
    while begun.elapsed() < duration() {
        let settings = PRESETS[round % PRESETS.len()].settings().with_boids(boids);
        let engine = [EngineKind::Gpu, EngineKind::Cpu][round / PRESETS.len() % 2];
        let gpu = Settings { engine: EngineKind::Gpu, ..settings.clone() };
        let settings = Settings { engine, search: engine.searches()[0], ..settings };
        let look = Look {
            shape: SHAPES[round % SHAPES.len()].value,
            color: COLORINGS[round % (COLORINGS.len() - 2)].value,
            backdrop: BACKDROPS[round % BACKDROPS.len()].value,
            trail: [0.0, 0.3][round % 2],
            ..Look::of(&settings)
        };
        let (width, height) = [(320, 180), (97, 211)][round % 2];
        let mut offscreen = Offscreen::with_look(&device, &settings, look, width, height).expect("room");
        let camera = Camera::of(&settings, width as f32 / height as f32);
        for _ in 0..4 {
            offscreen.draw(&Shot { camera, steps: 2, options: RecordOptions::default() }).expect("a frame");
        }
        drop(offscreen);
        let mut simulation = Simulation::new(&device, &gpu).expect("room");
        simulation.advance(20).expect("steps");
        simulation.advance_observed(1, Observation::Order).expect("an observed step");
        simulation.wait().expect("the device is alive");
        assert!(simulation.order().is_some(), "it was observed");
        assert_all_there(&simulation.flock().state().expect("the state comes back"));
        memory.sample(0);
        round += 1;
    }
    println!("{round} flocks of {boids} boids on {}", device.info().name);
    memory.report("flocks of all kinds");
}
