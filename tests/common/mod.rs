//! What GPU tests share: a device, or a loud skip.
#![allow(dead_code, reason = "each test binary uses its own part")]

use starlings::flock::{Flock, Settings};
use starlings::frame;
use starlings::vk::{Device, FrameSlots, Instance, InstanceOptions, RecordOptions, SubmitInfo, Validation};
use std::sync::Arc;

/// Whether the environment variable `name` is set to 1, which turns a skipped test into a failed one.
pub fn required(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value == "1")
}

/// A device without validation, or none (said on stderr) where the machine has none.
///
/// # Panics
/// When there is none although `REQUIRE_GPU=1`.
pub fn device() -> Option<Arc<Device>> {
    open(Validation::Off, "REQUIRE_GPU")
}

/// A device with core and synchronization validation, or none (said on stderr).
///
/// # Panics
/// When there is none although `REQUIRE_VALIDATION=1`.
pub fn validated_device() -> Option<Arc<Device>> {
    open(Validation::Required, "REQUIRE_VALIDATION")
}

fn open(validation: Validation, requirement: &str) -> Option<Arc<Device>> {
    let opened = Instance::new(&InstanceOptions { validation, display: None })
        .and_then(|instance| Device::new(&instance, None, None));
    match opened {
        Ok(device) => Some(device),
        Err(error) if required(requirement) => panic!("{requirement}=1, but {error}"),
        Err(error) => {
            eprintln!("SKIPPED, nothing was tested: {error}");
            None
        }
    }
}

/// Runs `steps` whole steps of `flock`, one submission each, leaving out the dependency `omit` if given.
pub fn run_steps(flock: &mut Flock, steps: u32, omit: Option<&str>) {
    let device = flock.device().clone();
    let mut slots = FrameSlots::new(&device, "test", 2, true).expect("frame slots");
    for _ in 0..steps {
        let index = slots.next_index();
        let slot = slots.next().expect("the device is alive");
        let prepared = flock.prepare_steps(index, 1);
        let mut rec = slot.begin_with(RecordOptions { journal: false, omit }).expect("recording");
        for step in prepared {
            frame::record_step(&mut rec, flock, step);
        }
        rec.finish().expect("recording");
        slot.submit(&SubmitInfo::default()).expect("submission");
    }
    slots.wait_all().expect("the device is alive");
}

/// A flock of `settings` on `device`.
pub fn flock(device: &Arc<Device>, settings: &Settings) -> Flock {
    Flock::new(device, settings, 2).expect("a flock of valid settings fits")
}
