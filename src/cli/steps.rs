//! Running simulation steps so that a user can watch and stop them.

use super::failure::Failure;
use super::interrupt;
use starlings::flock::MAX_STEPS_PER_SUBMISSION;
use starlings::simulation::Simulation;

/// Boids up to which several steps share a submission. Above it a step is long enough for the submission not
/// to matter, and many of them at once would trip the watchdog of a slow GPU.
const SMALL: u32 = 200_000;

/// Steps to put into one submission of a flock of `boids` boids.
pub fn per_submission(boids: u32) -> u32 {
    if boids <= SMALL { MAX_STEPS_PER_SUBMISSION } else { 1 }
}

/// Submits `count` steps, calling `done` with a number of steps each time some have been submitted.
pub fn run(simulation: &mut Simulation, count: u32, done: impl Fn(u32)) -> Result<(), Failure> {
    let most = per_submission(simulation.flock().settings().boids);
    let mut left = count;
    while left > 0 {
        interrupt::check()?;
        let now = left.min(most);
        simulation.advance(now)?;
        left -= now;
        done(now);
    }
    Ok(())
}
