//! GPU time of the exclusive prefix sum, for criterion to compare from one run to the next.
//!
//! `cargo bench --bench scan` scans 2^16 and 2^20 elements, which any device finishes soon;
//! `STARLINGS_BENCH_SCAN=1048576,268435456` others. Each size is checked against a sum on the CPU first.

mod common;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use starlings::bench::scan::{METHODS, Scan};
use std::time::Duration;

fn scans(criterion: &mut Criterion) {
    let Some(device) = common::device() else { return };
    let mut group = criterion.benchmark_group(format!("scan on {}", device.info().name));
    for (elements, method) in common::sizes("STARLINGS_BENCH_SCAN", &[1 << 16, 1 << 20])
        .into_iter()
        .flat_map(|size| METHODS.map(|method| (size, method)))
    {
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
    config = common::short();
    targets = scans
}
criterion_main!(benches);
