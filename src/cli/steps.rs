//! Running simulation steps so that a user can watch and stop them.

use super::failure::Failure;
use super::interrupt;
use super::profiling::Captured;
use starlings::flock::MAX_STEPS_PER_SUBMISSION;
use starlings::simulation::Simulation;

/// Boids up to which several steps share a submission. Above it a step is long enough for the submission not
/// to matter, and many of them at once would trip the watchdog of a slow GPU.
const SMALL: u32 = 200_000;

/// Steps to put into one submission of a flock of `boids` boids.
pub fn per_submission(boids: u32) -> u32 {
    if boids <= SMALL { MAX_STEPS_PER_SUBMISSION } else { 1 }
}

/// Steps to take next, at most `most`, by a run that has done `done` of `total`. The step `alone`, counted from 1, gets a
/// submission to itself.
pub fn next(done: u32, total: u32, most: u32, alone: Option<u32>) -> u32 {
    let end = match alone {
        Some(step) if done + 1 == step => total.min(step),
        Some(step) if done < step => total.min(step - 1),
        _ => total,
    };
    most.min(end - done)
}

/// Submits steps until `simulation` has taken `step` of them since its start, calling `done` with a number of steps each
/// time some have been submitted.
pub fn run_to(
    step: u32,
    simulation: &mut Simulation,
    captured: &mut Captured<'_>,
    done: impl Fn(u32),
) -> Result<(), Failure> {
    let most = per_submission(simulation.flock().settings().boids);
    while simulation.flock().step() < step {
        interrupt::check()?;
        let before = simulation.flock().step();
        let now = next(before, step, most, captured.frame());
        if captured.frame() == Some(before + now) {
            // Alone in its capture, and all of it.
            simulation.wait()?;
            captured.draw(before + now, || {
                simulation.advance(now)?;
                Ok(simulation.wait()?)
            })?;
        } else {
            simulation.advance(now)?;
        }
        done(now);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn a_step_that_is_captured_stays_alone() {
        let run = |total, alone| {
            let mut batches = Vec::new();
            while batches.iter().sum::<u32>() < total {
                batches.push(next(batches.iter().sum(), total, 4, alone));
            }
            batches
        };
        assert_eq!(run(10, None), [4, 4, 2]);
        assert_eq!(run(10, Some(1)), [1, 4, 4, 1]);
        assert_eq!(run(10, Some(6)), [4, 1, 1, 4]);
        assert_eq!(run(10, Some(10)), [4, 4, 1, 1]);
    }
}
