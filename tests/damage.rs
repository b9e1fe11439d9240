//! Trials on a device: intact flights show nothing, broken ones end, and garbage in the grid does no harm.

mod common;

use starlings::damage::{Part, Trials};
use starlings::flock::{Flock, Settings};
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, Validation};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn robust(validation: Validation) -> Option<Arc<Device>> {
    let requirement = if validation == Validation::Required { "REQUIRE_VALIDATION" } else { "REQUIRE_GPU" };
    let options = DeviceOptions { robust: true, ..DeviceOptions::default() };
    let opened = Instance::new(&InstanceOptions { validation, display: None })
        .and_then(|instance| Device::with_options(&instance, &options));
    match opened {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(!common::required(requirement), "{requirement}=1, but {error}");
            eprintln!("SKIPPED, nothing was tested: {error}");
            None
        }
    }
}

fn settings(boids: u32) -> Settings {
    Settings::preset("counting-sort").expect("a known preset").with_boids(boids)
}

fn go_on(_: u32) -> starlings::Result<()> {
    Ok(())
}

#[test]
fn intact_flights_show_nothing_and_trials_are_clean_under_validation() {
    let Some(device) = robust(Validation::Required) else { return };
    let mut trials = Trials::new(&device, &settings(1_500), 3, (96, 64)).expect("a small flock fits");
    for part in [Part::Step, Part::Frame] {
        let intact = trials.run(part, None, 8, go_on).expect("three trials");
        assert_eq!(intact.trials.iter().map(|trial| trial.certain()).collect::<Vec<_>>(), [0, 0, 0], "{part:?}");
        assert_eq!(intact.hurt(&intact), 0);
        assert_eq!(trials.flock().step(), 8);
        assert!(intact.worst().farthest < 0.1, "{:?}", intact.worst());
    }
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

#[test]
fn every_dependency_can_be_left_out() {
    let Some(device) = robust(Validation::Off) else { return };
    let mut trials = Trials::new(&device, &settings(1_000), 2, (64, 48)).expect("a small flock fits");
    let known = trials.dependencies().expect("a journal");
    assert!(known.iter().any(|known| known.name == "scatter-to-steer" && known.part == Part::Step));
    assert!(known.iter().any(|known| known.name == "cull-to-draw" && known.part == Part::Frame));
    for dependency in known {
        let damage = trials.run(dependency.part, Some(dependency.name), 4, go_on).expect("two trials");
        assert_eq!(damage.trials.len(), 2, "{}", dependency.name);
    }
}

/// The canary: a missing dependency that shows on every driver with a validation layer is left out for real.
#[test]
fn what_is_left_out_is_left_out() {
    let Some(device) = robust(Validation::Required) else { return };
    let mut trials = Trials::new(&device, &settings(1_000), 2, (64, 48)).expect("a small flock fits");
    for (part, name) in [(Part::Step, "scatter-to-steer"), (Part::Frame, "cull-to-draw")] {
        let before = device.instance().messages().count();
        trials.run(part, Some(name), 2, go_on).expect("a trial");
        assert!(device.instance().messages().count() > before, "{name}");
    }
}

#[test]
fn a_step_over_garbage_ends() {
    let Some(device) = robust(Validation::Off) else { return };
    for boids in [1_000, 3_000] {
        let mut flock = Flock::new(&device, &settings(boids), 1).expect("a small flock fits");
        let starts: Vec<u32> = (0..=flock.grid().cell_count)
            .map(|cell| match cell % 3 {
                0 => 0,
                1 => u32::MAX,
                _ => cell.wrapping_mul(2_654_435_761),
            })
            .collect();
        flock.buffers().cell_starts.upload(0, &starts).expect("garbage fits as well");
        let step = flock.prepare_steps(0, 1)[0];
        let begun = Instant::now();
        device.run_once("garbage", |rec| flock.steer(rec, step)).expect("no harm is done");
        assert!(begun.elapsed() < Duration::from_secs(30), "{boids} boids: {:?}", begun.elapsed());
        assert_eq!(flock.state().expect("the state comes back").len(), boids as usize);
    }
}

#[test]
fn a_device_that_garbage_could_hurt_is_refused() {
    let Some(device) = common::device() else { return };
    let refused = Trials::new(&device, &settings(100), 2, (64, 48)).err().expect("it is not robust");
    assert!(refused.to_string().contains("robust"), "{refused}");
}
