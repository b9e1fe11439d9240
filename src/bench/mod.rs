//! The benchmark: work that is the same for everybody, a gate that must pass before any number counts, the
//! measurement, and what it is held against.
//!
//! [`work`] says what is computed, [`oracle`] and [`gate`] whether it is computed rightly, [`measure`] how long it takes,
//! and [`copy_rate`] how long the device would need to only move the same bytes. `docs/benchmarks.md` says how to read
//! the result. [`ratios`] keeps what later runs are held against, [`plot`] draws, [`scan`] is the prefix sum by itself, and [`systems`]
//! the ladder of all ways to step a flock.

pub mod copy_rate;
pub mod cpu;
pub mod gate;
pub mod measure;
pub mod oracle;
pub mod peers;
pub mod plot;
pub mod ratios;
pub mod samples;
pub mod scan;
pub mod systems;
pub mod work;

/// Does `what` and logs how long it took: with a large flock, most of a benchmark's time is not the device's.
fn took<T>(what: &str, done: impl FnOnce() -> T) -> T {
    let began = std::time::Instant::now();
    let result = done();
    tracing::info!("{:7.2} s  {what}", began.elapsed().as_secs_f64());
    result
}
