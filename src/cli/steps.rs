//! Running simulation steps so that a user can watch and stop them.

use super::failure::Failure;
use super::interrupt;
use super::profiling::Captured;
use super::stats::Stats;
use starlings::flock::Observation;
use starlings::simulation::Simulation;

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

/// Submits steps until `simulation` has taken `step` since its start, and records the samples of `stats`. Calls `done` with
/// the count of steps after each submission.
pub fn run_to(
    step: u32,
    simulation: &mut Simulation,
    captured: &mut Captured<'_>,
    mut stats: Option<&mut Stats>,
    done: impl Fn(u32),
) -> Result<(), Failure> {
    while simulation.flock().step() < step {
        interrupt::check()?;
        let before = simulation.flock().step();
        if let Some(stats) = stats.as_mut().filter(|stats| stats.counts_at(before)) {
            stats.count(&simulation.flock().behaviors()?);
        }
        let sample = stats.as_ref().map(|stats| stats.stop(before));
        let most = simulation.flock().steps_at_once();
        let now = next(before, sample.map_or(step, |end| end.min(step)), most, captured.frame());
        let observed = stats.as_ref().is_some_and(|stats| stats.end() == before + now);
        let advance = |simulation: &mut Simulation| match observed {
            true => simulation.advance_observed(now, Observation::Order),
            false => simulation.advance(now),
        };
        if captured.frame() == Some(before + now) {
            // The capture must contain this submission alone and whole.
            simulation.wait()?;
            captured.draw(before + now, || {
                advance(simulation)?;
                Ok(simulation.wait()?)
            })?;
        } else {
            advance(simulation)?;
        }
        if let (true, Some(stats)) = (observed, &mut stats) {
            simulation.wait()?;
            stats.push(&simulation.order().expect("it was just asked for"))?;
        }
        done(now);
    }
    Ok(())
}

/// Records the order parameters of the final state if it is the next sample of `stats`, which takes one more step.
pub fn finish(
    simulation: &mut Simulation,
    captured: &mut Captured<'_>,
    stats: Option<&mut Stats>,
) -> Result<(), Failure> {
    let step = simulation.flock().step();
    match stats.filter(|stats| stats.is_next(step)) {
        Some(stats) => run_to(step + 1, simulation, captured, Some(stats), |_| {}),
        None => Ok(()),
    }
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
