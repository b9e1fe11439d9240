//! The benchmark: fixed work, a gate that must pass before timing, the measurement, and its reference values.
//!
//! [`work`] defines the work, [`stepper`] steps it, [`oracle`] and [`gate`] check it, and [`measure`] times it.
//! [`peers`] are the other ways to step the same flock, [`barriers`] times what each dependency costs, and [`levels`]
//! counts how boids are drawn. `docs/benchmarks.md` explains the results.

pub mod barriers;
pub mod gate;
pub mod levels;
pub mod measure;
pub mod oracle;
pub mod peers;
pub mod stepper;
pub mod work;

/// Calls `done` and logs its time as `what`: with a large flock, most of a benchmark's time is spent on the host.
fn took<T>(what: &str, done: impl FnOnce() -> T) -> T {
    let began = std::time::Instant::now();
    let result = done();
    tracing::info!("{:7.2} s  {what}", began.elapsed().as_secs_f64());
    result
}
