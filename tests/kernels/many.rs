//! Flocks that are stepped at once have the bits and the order parameters that each has alone; and what they cost.

use crate::common;
use starlings::flock::kinds::{Feeling, Kind};
use starlings::flock::many::batches;
use starlings::flock::{
    BoidState, EngineKind, Law, NoiseForm, Observation, OrderParameters, PRESETS, Search, Settings, Walls,
};
use starlings::simulation::Simulation;
use starlings::vk::{Device, Spread};
use std::sync::Arc;

/// The flocks after some steps of four times the usual length, the last of which is observed.
fn stepped(device: &Arc<Device>, each: &[Settings]) -> (Vec<BoidState>, Vec<OrderParameters>) {
    let mut simulation = Simulation::of_many(device, each).expect("small flocks fit");
    simulation.advance(5).expect("the device is alive");
    simulation.advance_observed(1, Observation::Order).expect("the device is alive");
    simulation.wait().expect("the device is alive");
    (simulation.flock().states().expect("they come back"), simulation.orders())
}

/// So many flocks like this one, each with its own seed, weights, radius, world and noise.
fn differing(settings: &Settings, flocks: u64) -> Vec<Settings> {
    let each = (0..flocks).map(|k| {
        let more = 1.0 + k as f32 / flocks as f32;
        let mut settings = settings.clone().with_density(settings.density() * more);
        (settings.seed, settings.time_step) = (settings.seed + k, 4.0 * settings.time_step);
        (settings.rules.alignment_weight, settings.noise) =
            (settings.rules.alignment_weight * more, settings.noise * more);
        match settings.law {
            Law::Heading => settings.with_radius(more),
            _ => {
                settings.rules.cohesion_radius *= more;
                settings
            }
        }
    });
    each.collect()
}

/// Compares the first and the last with each alone, and as many between.
fn same_as_alone(device: &Arc<Device>, settings: &Settings, flocks: u64, between: usize) {
    let of = format!("{flocks} of {} boids, {}", settings.boids, settings.preset);
    let each = differing(settings, flocks);
    let all: Vec<&Settings> = each.iter().collect();
    assert_eq!(batches(device.info(), &all), [(0..each.len()).collect::<Vec<_>>()], "{of}");
    let (states, orders) = stepped(device, &each);
    for k in (0..each.len()).step_by(((each.len() - 1) / (between + 1)).max(1)) {
        let settings = &each[k];
        let (alone, order) = stepped(device, std::slice::from_ref(settings));
        let bits = |state: &BoidState| {
            let vectors = state.position.iter().chain(&state.velocity);
            vectors.map(|v| v.to_array().map(f32::to_bits)).collect::<Vec<_>>()
        };
        assert!(bits(&states[k]) == bits(&alone[0]) && states[k].id == alone[0].id, "{of}: flock {k} has other bits");
        assert_eq!(orders[k], order[0], "{of}: flock {k}");
        assert!(k == 0 || settings.boids == 1 || states[k] != states[0], "{of}: two are the same");
    }
}

/// A flock of this preset that can be stepped with others.
fn of(preset: &str, boids: u32, change: fn(&mut Settings)) -> Settings {
    let mut settings = Settings::preset(preset).expect("a known preset").with_boids(boids);
    (settings.engine, settings.search, settings.targets) = (EngineKind::Gpu, Search::QuantizedGrid, 0);
    change(&mut settings);
    settings
}

fn torus(settings: &mut Settings) {
    (settings.walls, settings.noise) = (Walls::Wrap, 0.3);
}

/// What a law has of its own, and what each may have: a torus, a plane, both kinds of noise, a field of view, the
/// nearest few, and kinds.
#[test]
fn each_of_many_flocks_has_the_bits_that_it_has_alone() {
    let Some(device) = common::device() else { return };
    let kinds = |of: &mut Settings| {
        of.kinds = ["a:1", "b:2"].iter().filter_map(|kind| Kind::parse(kind)).collect();
        of.feelings = Feeling::parse("a:b:-1,0.5,2").into_iter().collect();
    };
    same_as_alone(&device, &of("reynolds", 1, |_| {}), 2, 0);
    same_as_alone(&device, &of("reynolds", 7, |_| {}), 33, 1);
    same_as_alone(&device, &of("reynolds", 1_025, torus), 2, 0);
    same_as_alone(&device, &of("vicsek", 257, |_| {}), 2, 0);
    same_as_alone(
        &device,
        &of("counting-sort", 257, |of| (of.noise, of.noise_form) = (0.2, NoiseForm::Vectorial)),
        2,
        0,
    );
    same_as_alone(&device, &of("three-radius", 300, |of| (of.nearest, of.view_angle) = (5, 130.0)), 2, 0);
    same_as_alone(&device, &of("couzin", 100, kinds), 2, 0);
}

#[test]
#[ignore = "long: every law, at many counts"]
fn each_of_many_flocks_has_the_bits_that_it_has_alone_at_every_count() {
    let Some(device) = common::device() else { return };
    for (row, boids) in PRESETS.iter().flat_map(|row| [1, 7, 1_000, 1_025].map(|boids| (row, boids))) {
        for change in [|_: &mut Settings| {}, torus] {
            let settings = of(row.name, boids, change);
            // A torus of few boids is too short.
            let valid = differing(&settings, 33).iter().all(|settings| settings.validate().is_ok());
            for flocks in [2, 33] {
                if valid && settings.law != Law::Cursor {
                    same_as_alone(&device, &settings, flocks, 1);
                }
            }
        }
    }
}

/// Validation has nothing to say.
#[test]
fn many_flocks_are_valid() {
    let Some(device) = common::validated_device() else { return };
    stepped(&device, &differing(&of("reynolds", 1_000, torus), 3));
    assert_eq!(device.instance().messages().count(), 0);
}

/// GPU time of a step of these flocks in milliseconds, by timestamps: the median.
fn step_ms(device: &Arc<Device>, each: &[Settings]) -> f64 {
    const AT_ONCE: u32 = 4;
    let mut simulation = Simulation::of_many(device, each).expect("they fit").with_steps_per_submission(AT_ONCE);
    simulation.advance(10 * AT_ONCE).expect("the device is alive");
    simulation.wait().expect("the device is alive");
    simulation.clear_timings();
    simulation.advance(20 * AT_ONCE).expect("the device is alive");
    simulation.wait().expect("the device is alive");
    Spread::of(simulation.timings().frame_ms()).median / f64::from(AT_ONCE)
}

/// On a GPU a thousand flocks of 1,000 cost at most half more than one of a million.
#[test]
#[ignore = "long: many flocks, and one as large as all"]
fn many_flocks_cost_about_what_one_as_large_does() {
    let Some(device) = common::device() else { return };
    let flocks = if device.info().is_software() { 64 } else { 1_000 };
    let of = |boids| Settings::preset("reynolds").expect("a known preset").with_boids(boids);
    let each: Vec<Settings> = (0..flocks).map(|seed| Settings { seed: u64::from(seed), ..of(1_000) }).collect();
    let [many, one, alone] = [&each[..], &[of(1_000 * flocks)], &each[..1]].map(|each| step_ms(&device, each));
    let ratio = many / one;
    println!(
        "{}: {flocks} flocks of 1,000 at once {many:.3} ms a step, one as large {one:.3} ms, ratio {ratio:.2}; each \
         alone {alone:.3} ms, so one after the other {:.1} ms",
        device.info().name,
        alone * f64::from(flocks),
    );
    assert!(device.info().is_software() || ratio <= 1.5, "{ratio}");
}
