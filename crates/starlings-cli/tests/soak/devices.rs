//! Devices made and dropped, as the window does when its frame is broken and mended: what of the memory is the
//! driver's.

use super::memory::Memory;
use super::{asked, common, duration};
use starlings::flock::{PRESETS, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Look};
use starlings::vk::{Device, RecordOptions};
use std::time::Instant;

/// With `STARLINGS_SOAK_BOIDS=0` a device only, without kernels, pictures and a flock.
#[test]
#[ignore = "long: as long as STARLINGS_SOAK_SECONDS says"]
fn devices_for_long() {
    let Some(first) = common::device() else { return };
    let boids = u32::try_from(asked("STARLINGS_SOAK_BOIDS", 300)).expect("a count of boids");
    let instance = first.instance().clone();
    drop(first);
    let mut memory = Memory::of("self");
    let (begun, mut round) = (Instant::now(), 0);
    while begun.elapsed() < duration() {
        let device = Device::new(&instance, None, None).expect("another device");
        if boids > 0 {
            let settings = Settings { ..PRESETS[0].settings().with_boids(boids) };
            let look = Look::of(&settings);
            let mut offscreen = Offscreen::with_look(&device, &settings, look, 320, 180).expect("room");
            let camera = Camera::of(&settings, 320.0 / 180.0);
            offscreen.draw(&Shot { camera, steps: 2, options: RecordOptions::default() }).expect("a frame");
        }
        drop(device);
        memory.sample(0);
        round += 1;
    }
    println!("{round} devices");
    memory.report("devices");
}
