//! The other searches on the same work: whether they are worth waiting for.

use crate::error::Result;
use crate::flock::search::GridKind;
use crate::flock::{Search, Settings};
use crate::simulation::Simulation;
use crate::vk::Device;
use std::sync::Arc;

/// The longest step that is waited for, in milliseconds.
pub const LONGEST_MS: f64 = 2_000.0;

/// Boids of the smallest flock that a prediction starts from.
const FEW: u32 = 1_024;

/// By how much the flock grows from one trial to the next.
const GROWTH: u32 = 4;

/// What a step of `to` boids will take, in milliseconds, if one of `from` takes `ms`: all pairs grow with the square of the
/// count, the others with it, and a little faster where caches end.
pub fn predicted(search: Search, ms: f64, from: u32, to: u32) -> f64 {
    let exponent = if search.grid() == GridKind::None { 2.0 } else { 1.1 };
    ms * (f64::from(to) / f64::from(from)).powf(exponent)
}

/// How long a step of `settings` will take, in milliseconds, from trials with smaller flocks of the same density. Each
/// is run only if the one before lets it expect to be over soon.
///
/// # Errors
/// What the device could not do.
pub fn predict(device: &Arc<Device>, settings: &Settings) -> Result<f64> {
    let mut boids = FEW.min(settings.boids);
    loop {
        let ms = trial(device, &settings.clone().with_boids(boids))?;
        let next = boids.saturating_mul(GROWTH).min(settings.boids);
        let whole = predicted(settings.search, ms, boids, settings.boids);
        if boids == settings.boids
            || whole < 0.5 * LONGEST_MS
            || predicted(settings.search, ms, boids, next) > LONGEST_MS
        {
            return Ok(whole);
        }
        boids = next;
    }
}

/// The shorter of two steps after a first one.
fn trial(device: &Arc<Device>, settings: &Settings) -> Result<f64> {
    let mut simulation = Simulation::new(device, settings)?.with_steps_per_submission(1);
    simulation.advance(1)?;
    simulation.wait()?;
    simulation.clear_timings();
    simulation.advance(2)?;
    simulation.wait()?;
    Ok(simulation.timings().frame_ms().iter().copied().fold(f64::INFINITY, f64::min))
}
