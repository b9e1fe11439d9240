//! Running simulation steps so that a user can watch and stop them.

use super::profiling::FrameCapture;
use super::stats::Stats;
use crate::Result;
use crate::interrupt;
use crate::running::Running;
use starlings::cpu::Engine;
use starlings::flock::Observation;
use starlings::simulation::Simulation;

/// Steps to take next, at most `most`, by a run that has done `done` of `total`. The step `alone`, counted from 1, gets
/// a submission to itself.
pub fn next(done: u32, total: u32, most: u32, alone: Option<u32>) -> u32 {
    let end = match alone {
        Some(step) if done + 1 == step => total.min(step),
        Some(step) if done < step => total.min(step - 1),
        _ => total,
    };
    most.min(end - done)
}

/// Takes steps until `running` has taken `step` since its start, and records the samples of `stats` before them. Calls
/// `done` with the count of steps after each submission.
pub fn run_to(
    step: u32,
    running: &mut Running,
    captured: &mut FrameCapture<'_>,
    stats: Option<&mut Stats>,
    done: impl Fn(u32),
) -> Result<()> {
    match running {
        Running::Device(simulation) => on_device(step, simulation, captured, stats, done),
        Running::Cpu(engine) => on_cpu(step, engine, stats, done),
    }
}

fn on_device(
    step: u32,
    simulation: &mut Simulation,
    captured: &mut FrameCapture<'_>,
    mut stats: Option<&mut Stats>,
    done: impl Fn(u32),
) -> Result<()> {
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

fn on_cpu(step: u32, engine: &mut Engine, mut stats: Option<&mut Stats>, done: impl Fn(u32)) -> Result<()> {
    while engine.step() < step {
        interrupt::check()?;
        if let Some(stats) = &mut stats {
            stats.look_at(engine)?;
        }
        engine.advance(1);
        // A step that was cut short leaves no flock.
        interrupt::check()?;
        done(1);
    }
    Ok(())
}

/// Records the order parameters of the final state if it is the next sample of `stats`, which takes one more step on a
/// device, and waits for all steps.
pub fn finish(running: &mut Running, captured: &mut FrameCapture<'_>, stats: Option<&mut Stats>) -> Result<()> {
    let step = running.step();
    match (running, stats) {
        (Running::Device(simulation), stats) => {
            if let Some(stats) = stats.filter(|stats| stats.is_next(step)) {
                on_device(step + 1, simulation, captured, Some(stats), |_| {})?;
            }
            Ok(simulation.wait()?)
        }
        (Running::Cpu(engine), Some(stats)) => stats.look_at(engine),
        (Running::Cpu(_), None) => Ok(()),
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
