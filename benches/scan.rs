//! GPU time of the exclusive prefix sum, for criterion to compare from one run to the next.
//!
//! `cargo bench --bench scan` scans 2^16 and 2^20 elements, which any device finishes soon;
//! `STARLINGS_BENCH_SCAN=1048576,268435456` others. Each size is checked against a sum on the processor first.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use starlings::bench::scan::{METHODS, Scan};
use starlings::vk::{Device, Instance, InstanceOptions};
use std::time::Duration;

fn sizes() -> Vec<u32> {
    let sizes = std::env::var("STARLINGS_BENCH_SCAN").unwrap_or_else(|_| "65536,1048576".into());
    sizes
        .split(',')
        .map(|size| match size.trim().parse() {
            Ok(size) => size,
            Err(_) => {
                eprintln!("STARLINGS_BENCH_SCAN has '{size}'; accepted are whole numbers, separated by commas");
                std::process::exit(2);
            }
        })
        .collect()
}

fn scans(criterion: &mut Criterion) {
    let device = Instance::new(&InstanceOptions::default()).and_then(|instance| Device::new(&instance, None, None));
    let device = match device {
        Ok(device) => device,
        Err(error) => {
            eprintln!("SKIPPED, nothing was measured: {error}");
            return;
        }
    };
    let mut group = criterion.benchmark_group(format!("scan on {}", device.info().name));
    for (elements, method) in sizes().into_iter().flat_map(|size| METHODS.map(|method| (size, method))) {
        let mut scan = match Scan::new(&device, elements, method) {
            Ok(scan) => scan,
            Err(error) => {
                eprintln!("SKIPPED {elements} elements: {error}");
                continue;
            }
        };
        scan.run().and_then(|()| scan.check()).expect("the scan is exact");
        group.throughput(Throughput::Bytes(scan.bytes_of_copy()));
        group.bench_function(BenchmarkId::new(method.name(), elements), |bencher| {
            bencher.iter_custom(|scans| {
                let mut total_ms = 0.0;
                for _ in 0..scans {
                    scan.clear_timings();
                    scan.run().expect("the device is alive");
                    total_ms += scan.timings().frame_ms().iter().sum::<f64>();
                }
                Duration::from_secs_f64(total_ms * 1e-3)
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = scans
}
criterion_main!(benches);
