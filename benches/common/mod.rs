//! What benchmarks have in common: sizes from the environment, the device, and a short measurement.

use criterion::Criterion;
use starlings::vk::{Device, Instance, InstanceOptions};
use std::sync::Arc;
use std::time::Duration;

/// Ten samples within about two seconds: GPU timestamps scatter little.
pub fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

/// The sizes that the environment variable `name` lists, or those of `default`. Ends the program if one is not a number.
pub fn sizes(name: &str, default: &[u32]) -> Vec<u32> {
    let Ok(listed) = std::env::var(name) else { return default.to_vec() };
    let size = |text: &str| {
        text.trim().parse().unwrap_or_else(|_| {
            eprintln!("{name} has '{text}'; accepted are whole numbers, separated by commas");
            std::process::exit(2);
        })
    };
    listed.split(',').map(size).collect()
}

/// The device that the program would choose; or none, and says so.
pub fn device() -> Option<Arc<Device>> {
    Instance::new(&InstanceOptions::default())
        .and_then(|instance| Device::new(&instance, None, None))
        .inspect_err(|error| eprintln!("SKIPPED, nothing was measured: {error}"))
        .ok()
}
