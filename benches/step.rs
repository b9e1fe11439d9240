//! GPU time of whole steps and of their longest passes, for criterion to compare from one run to the next.
//!
//! `cargo bench` runs small flocks, which any device finishes soon. `STARLINGS_BENCH_BOIDS=1000000,4000000 cargo bench`
//! runs the counts given. What criterion calls time is the sum of the frames' own GPU timestamps, so neither recording
//! nor waiting counts.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use starlings::flock::{PRESETS, Settings};
use starlings::simulation::Simulation;
use starlings::vk::{Device, Instance, InstanceOptions};
use std::sync::Arc;
use std::time::Duration;

/// Steps between two looks at the timestamps: fewer than are kept.
const BATCH: u64 = 1_000;

/// What is timed: the whole step, and passes of it.
const PARTS: [&str; 6] = ["step", "grid_count", "scan_downsweep", "sort_list", "sort_scatter", "steer"];

fn steps(criterion: &mut Criterion) {
    let Some(device) = device() else { return };
    let mut group = criterion.benchmark_group(format!("step on {}", device.info().name));
    for preset in PRESETS {
        for boids in sizes("STARLINGS_BENCH_BOIDS", &[1_000, 10_000]) {
            let settings = Settings::preset(preset.name).expect("a known preset").with_boids(boids);
            let mut simulation = match Simulation::new(&device, &settings) {
                Ok(simulation) => simulation,
                Err(error) => {
                    eprintln!("SKIPPED {} with {boids} boids: {error}", preset.name);
                    continue;
                }
            };
            group.throughput(Throughput::Elements(boids.into()));
            // A search that sorts otherwise, or not at all, lacks some of the passes.
            gpu_time(&mut simulation, "step", 1);
            let mut parts = PARTS.to_vec();
            parts.retain(|part| *part == "step" || !simulation.timings().pass_ms(part).is_empty());
            for part in parts {
                group.bench_function(BenchmarkId::new(format!("{}/{part}", preset.name), boids), |bencher| {
                    bencher.iter_custom(|steps| gpu_time(&mut simulation, part, steps));
                });
            }
        }
    }
    group.finish();
}

fn gpu_time(simulation: &mut Simulation, part: &str, steps: u64) -> Duration {
    let mut total_ms = 0.0;
    let mut left = steps;
    while left > 0 {
        let batch = left.min(BATCH);
        left -= batch;
        simulation.clear_timings();
        simulation.advance(batch as u32).and_then(|()| simulation.wait()).expect("the device is alive");
        let timings = simulation.timings();
        let samples = if part == "step" { timings.frame_ms() } else { timings.pass_ms(part) };
        total_ms += samples.iter().sum::<f64>();
    }
    Duration::from_secs_f64(total_ms * 1e-3)
}

/// Ten samples within about two seconds: GPU timestamps scatter little.
fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

/// The sizes that the environment variable `name` lists, or those of `default`. Ends the program if one is not a
/// number.
fn sizes(name: &str, default: &[u32]) -> Vec<u32> {
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
fn device() -> Option<Arc<Device>> {
    Instance::new(&InstanceOptions::default())
        .and_then(|instance| Device::new(&instance, None, None))
        .inspect_err(|error| eprintln!("SKIPPED, nothing was measured: {error}"))
        .ok()
}

criterion_group! {
    name = benches;
    config = short();
    targets = steps
}
criterion_main!(benches);
