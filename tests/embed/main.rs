//! A flock in the command buffer of a host: the example itself, and possible errors of a host.

#[path = "../common/mod.rs"]
mod common;
mod pictures;
mod submissions;

#[allow(dead_code, reason = "its main is for those who run it")]
#[path = "../../examples/embed.rs"]
mod embed;

use common::required;
use embed::{Host, Measure, fly, record};
use starlings::barrier_proof::{Conflict, check};
use starlings::flock::buffers::{BOID_ID, POSITION_VX, VELOCITY_YZ};
use starlings::render::{Scene, canvas::PICTURE_FORMAT};
use starlings::simulation::Simulation;
use starlings::vk::{DeviceOptions, Fault, Instance, InstanceOptions, Journal, Pass, Stage, Use};
use starlings::{AFTER_STEPS, BEFORE_STEPS, record_steps};
use starlings::{AdoptOptions, Device, Error, Flock, HostDevice, RecordOptions, Recorder, Requirements, Settings};
use std::sync::Arc;

/// A host for steps, or none (with a message on stderr) if the machine has no device for it.
///
/// # Panics
/// If there is none, or no validation layer for it, although that is required.
fn host() -> Option<Host> {
    host_with(Requirements::for_steps())
}

fn host_with(requirements: Requirements) -> Option<Host> {
    let lacking = |requirement: &str, reason: String| {
        assert!(!required(requirement), "{requirement}=1, but {reason}");
        eprintln!("SKIPPED, nothing was tested: {reason}");
    };
    match Host::new(requirements) {
        Ok(host) if host.validates() => Some(host),
        Ok(host) => {
            assert!(host.close().is_empty());
            lacking("REQUIRE_VALIDATION", "the validation layer is not installed, or too old".into());
            None
        }
        Err(error) => {
            lacking("REQUIRE_GPU", error.to_string());
            None
        }
    }
}

fn adopt(handles: &HostDevice<'_>) -> starlings::Result<Arc<Device>> {
    // SAFETY: the tests keep their host until the end and use its queue in one thread. If `handles` list fewer features
    // than enabled, no others are used; if they are wrong, they are refused before use.
    unsafe { Device::adopt(handles) }
}

fn settings() -> Settings {
    Settings::preset("reynolds").expect("a known preset").with_boids(2_000)
}

/// Fails unless the boids of both flocks are at the same places.
fn assert_same_places(one: &Flock, other: &Flock) {
    let by_id = |flock: &Flock| {
        let state = flock.state().expect("a state");
        let mut all: Vec<_> = state.id.into_iter().zip(state.position).collect();
        all.sort_by_key(|(id, _)| *id);
        all
    };
    let (all, others) = (by_id(one), by_id(other));
    assert_eq!(all.len(), others.len());
    for ((id, place), (other, there)) in all.into_iter().zip(others) {
        // The order of sums over neighbors varies.
        assert!(id == other && place.distance(there) < 1e-5, "boid {id}: {place}, {there}");
    }
}

#[test]
fn the_example_runs_without_a_message_and_measures_what_is_there() {
    let Some(host) = host() else { return };
    let flown = fly(&host, 20).expect("the example runs");
    assert_eq!(flown.conflicts, []);
    let half = Settings::preset("reynolds").expect("a known preset").with_boids(20_000).world.half_size * 0.5;
    let inside = flown.state.position.iter().filter(|p| p.abs().cmple(half).all()).count();
    assert_eq!(flown.measured.in_box as usize, inside);
    assert!(0 < inside && inside < 20_000, "{inside}");
    let sum = flown.state.velocity.iter().fold(glam::DVec3::ZERO, |sum, v| sum + v.as_dvec3());
    let measured = glam::Vec3::from(flown.measured.mean_velocity).as_dvec3();
    assert!(measured.distance(sum / 20_000.0) < 1e-5, "{measured} is not {}", sum / 20_000.0);
    // The host's device is still usable, and no object of `starlings` is left on it, or the layer would report it.
    let commands = host.begin().expect("a command buffer");
    host.submit_and_wait(commands).expect("an empty submission");
    assert_eq!(host.close(), [""; 0]);
}

#[test]
fn the_layer_listens_to_the_example() {
    let Some(host) = host() else { return };
    let device = adopt(&host.handles()).expect("the device has all");
    let mut flock = Flock::new(&device, &settings(), 1).expect("a small flock fits");
    let measure = Measure::new(&host, &flock).expect("a kernel");
    let commands = host.begin().expect("a command buffer");
    let faults = [Fault::Omit(AFTER_STEPS.name.to_owned())];
    let options = RecordOptions { journal: false, faults: &faults };
    // SAFETY: the commands are in the recording state, and submitted once to the queue of the adopted device. Because
    // of the intended hazard, the measure pass may read old boids.
    let rec = unsafe { Recorder::adopt(&device, commands, options) };
    record(rec, &mut flock, || measure.record(commands)).expect("nothing is ended");
    host.submit_and_wait(commands).expect("the commands run");
    measure.destroy();
    drop((flock, device));
    let messages = host.close();
    let found = messages.iter().any(|text| text.contains("READ_AFTER_WRITE") && text.contains("position_vx"));
    assert!(found, "{messages:?}");
}

#[test]
fn boids_fly_on_a_hosts_device_as_on_our_own() {
    let Some(host) = host() else { return };
    let device = adopt(&host.handles()).expect("the device has all");
    let mut flock = Flock::new(&device, &settings(), 1).expect("a small flock fits");
    for _ in 0..2 {
        let commands = host.begin().expect("a command buffer");
        let steps = flock.prepare_steps(0, 1);
        // SAFETY: the commands are in the recording state, and submitted once to the queue of the adopted device.
        let mut rec = unsafe { Recorder::adopt(&device, commands, RecordOptions::default()) };
        rec.barrier(BEFORE_STEPS);
        record_steps(&mut rec, &flock, &steps);
        assert_eq!(rec.finish().expect("nothing is ended"), None);
        host.submit_and_wait(commands).expect("the commands run");
    }
    let instance = Instance::new(&InstanceOptions::default()).expect("an instance beside the host's");
    let options = DeviceOptions { wanted: Some(&host.name()), ..DeviceOptions::default() };
    let own = Device::with_options(&instance, &options).expect("the same device, opened by us");
    let mut simulation = Simulation::new(&own, &settings()).expect("a small flock fits");
    simulation.advance(2).expect("two steps");
    assert_same_places(&flock, simulation.flock());
    drop((flock, device));
    assert_eq!(host.close(), [""; 0]);
}

#[test]
fn two_flocks_step_in_one_command_buffer() {
    let Some(host) = host() else { return };
    // Positions are vertices of this host, and its memory comes in small blocks.
    let small = 4 << 20..=8 << 20;
    let state_usage = ash::vk::BufferUsageFlags::VERTEX_BUFFER;
    let options = AdoptOptions { device_blocks: small.clone(), host_blocks: small, state_usage };
    // SAFETY: as `adopt`.
    let device = unsafe { Device::adopt_with(&host.handles(), &options) }.expect("the device has all");
    let others = Settings::preset("bitonic").expect("a known preset").with_boids(1_000);
    let mut flocks = [settings(), others].map(|of| Flock::new(&device, &of, 2).expect("a small flock fits"));
    for slot in 0..2 {
        let commands = host.begin().expect("a command buffer");
        let steps = flocks.each_mut().map(|flock| flock.prepare_steps(slot, 1));
        // SAFETY: the commands are in the recording state, and submitted once to the queue of the adopted device.
        let mut rec = unsafe { Recorder::adopt(&device, commands, RecordOptions::default()) };
        rec.barrier(BEFORE_STEPS);
        flocks.iter().zip(&steps).for_each(|(flock, steps)| record_steps(&mut rec, flock, steps));
        rec.barrier(AFTER_STEPS);
        rec.finish().expect("nothing is ended");
        host.submit_and_wait(commands).expect("the commands run");
    }
    for flock in &flocks {
        let mut alone = Flock::new(&device, flock.settings(), 1).expect("a small flock fits");
        for _ in 0..2 {
            let steps = alone.prepare_steps(0, 1);
            device.run_once("steps", |rec| record_steps(rec, &alone, &steps)).expect("the device lives");
        }
        assert_same_places(flock, &alone);
    }
    drop((flocks, device));
    assert_eq!(host.close(), [""; 0]);
}

#[test]
#[should_panic(expected = "frame slot 2 of a flock that was made for 2 frames in flight")]
fn a_slot_beyond_those_in_flight_is_named() {
    let instance = Instance::null().expect("the null driver");
    let device = Device::new(&instance, None, None).expect("its device");
    let mut flock = Flock::new(&device, &settings(), 2).expect("a small flock fits");
    flock.prepare_steps(2, 1);
}

#[test]
fn what_a_host_has_not_enabled_is_named() {
    let Some(host) = host() else { return };
    let missing = |change: fn(&mut HostDevice<'_>)| {
        let mut handles = host.handles();
        change(&mut handles);
        match adopt(&handles) {
            Err(Error::Lacks { device, missing }) => {
                assert_eq!(device, host.name());
                missing
            }
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("adopted"),
        }
    };
    let without_two = missing(|host| {
        host.enabled.features.v12.scalar_block_layout = 0;
        host.enabled.features.v13.synchronization2 = 0;
    });
    assert_eq!(without_two, ["scalarBlockLayout", "synchronization2"]);
    assert_eq!(missing(|host| host.enabled.api_version = ash::vk::API_VERSION_1_2), ["Vulkan 1.3"]);
    assert_eq!(missing(|host| host.queue_family = 99), ["compute on queue family 99"]);
    let without_extension = missing(|host| {
        host.enabled.features.pipeline_robustness.pipeline_robustness = 1;
        host.enabled.device_extensions = &[];
    });
    assert_eq!(without_extension, ["VK_EXT_pipeline_robustness"]);
    assert_eq!(host.close(), [""; 0]);
}

#[test]
fn a_device_for_steps_draws_nothing_and_says_why() {
    let Some(host) = host() else { return };
    let device = adopt(&host.handles()).expect("the device has all");
    let flock = Flock::new(&device, &settings(), 1).expect("a small flock fits");
    match Scene::new(&device, &flock, PICTURE_FORMAT, 1) {
        Err(Error::Lacks { missing, .. }) => {
            let named = ["fragmentStoresAndAtomics", "hostQueryReset", "dynamicRendering"];
            assert!(missing.starts_with(&named.map(String::from)), "{missing:?}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a scene without dynamic rendering"),
    }
    drop((flock, device));
    assert_eq!(host.close(), [""; 0]);
}

/// A host's pass that draws from the state.
const DRAW: Pass<'_> = Pass {
    name: "host_draw",
    stage: Stage::VERTEX_SHADER,
    uses: &[
        Use::read(Stage::VERTEX_SHADER, POSITION_VX),
        Use::read(Stage::VERTEX_SHADER, VELOCITY_YZ),
        Use::read(Stage::VERTEX_SHADER, BOID_ID),
    ],
};

#[test]
fn a_host_that_leaves_out_a_dependency_is_told() {
    let Some(host) = host() else { return };
    let device = adopt(&host.handles()).expect("the device has all");
    let mut flock = Flock::new(&device, &settings(), 1).expect("a small flock fits");
    let mut conflicts = |omitted: Option<&str>| -> Vec<Conflict> {
        let faults: Vec<Fault> = omitted.iter().map(|name| Fault::Omit((*name).to_owned())).collect();
        let frames = (0..2).map(|_| {
            let commands = host.begin().expect("a command buffer");
            let steps = flock.prepare_steps(0, 1);
            let options = RecordOptions { journal: true, faults: &faults };
            // SAFETY: the commands are in the recording state, and never submitted.
            let mut rec = unsafe { Recorder::adopt(&device, commands, options) };
            rec.barrier(BEFORE_STEPS);
            record_steps(&mut rec, &flock, &steps);
            rec.barrier(AFTER_STEPS);
            rec.pass(&DRAW, |_| {});
            rec.finish().expect("nothing is ended").expect("a journal")
        });
        let journals: Vec<Journal> = frames.collect();
        check(&journals).into_iter().collect()
    };
    assert_eq!(conflicts(None), []);
    for (omitted, parties) in [(BEFORE_STEPS, ("host_draw", "steer")), (AFTER_STEPS, ("steer", "host_draw"))] {
        let found = conflicts(Some(omitted.name));
        for resource in omitted.guards.concat() {
            let same = |c: &Conflict| {
                (c.producer, c.consumer) == parties && c.resource == resource && omitted.hazards.contains(&c.hazard)
            };
            assert!(found.iter().any(same), "{resource} without {}: {found:?}", omitted.name);
        }
    }
    drop((flock, device));
    assert_eq!(host.close(), [""; 0]);
}
