//! The benchmark: fixed work, a gate that must pass before timing, the measurement, and its reference values.
//!
//! [`work`] defines the work, [`oracle`] and [`gate`] check it, [`measure`] times it, and [`copy_rate`] times a copy of the
//! same bytes. [`ratios`] records ratios for later runs to compare, [`plot`] draws, [`scan`] times the prefix sum alone, [`systems`] times every way to step a flock,
//! [`barriers`] what each dependency costs,
//! and [`levels`] counts how boids are drawn. `docs/benchmarks.md` explains the results.

pub mod barriers;
pub mod copy_rate;
pub mod cpu;
pub mod gate;
pub mod levels;
pub mod measure;
pub mod oracle;
pub mod peers;
pub mod plot;
pub mod ratios;
pub mod samples;
pub mod scan;
pub mod systems;
pub mod work;

/// Calls `done` and logs its time as `what`: with a large flock, most of a benchmark's time is spent on the host.
fn took<T>(what: &str, done: impl FnOnce() -> T) -> T {
    let began = std::time::Instant::now();
    let result = done();
    tracing::info!("{:7.2} s  {what}", began.elapsed().as_secs_f64());
    result
}
