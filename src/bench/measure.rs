//! How long each pass of a step takes, and how many bytes it moves.

use super::copy_rate::CopyRates;
use super::took;
use super::work::{UNTIMED, Work};
use crate::error::{Error, Result};
use crate::flock::{Flock, Search, Settings};
use crate::simulation::Simulation;
use crate::vk::{Device, Journal, PassStatistics, PassTimings};
use std::sync::Arc;
use std::time::Duration;

/// Steps before the timing and steps that are timed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Steps before the timing starts.
    pub warm_up: u32,
    /// Steps that are timed.
    pub repeats: u32,
}

/// One pass of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PassRow {
    /// Its name, and its times of whole frames, of all its runs together.
    pub times: PassStatistics,
    /// Times it runs in a frame.
    pub runs: u32,
    /// Bytes that its runs read and write; none for a pass that uses other resources than the flock's.
    pub bytes: Option<u64>,
    /// Time in which the device copies as many bytes, in milliseconds.
    pub bound_ms: Option<f64>,
}

/// What was measured of one flock with one search.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The passes, in the order in which they run.
    pub passes: Vec<PassRow>,
    /// From the first pass to the last.
    pub frame: PassStatistics,
    /// The part of that in no pass.
    pub unnamed: PassStatistics,
    /// Median CPU time to record a frame, in milliseconds.
    pub record_ms: Option<f64>,
}

impl Measured {
    /// Boids moved by one step in a second, at the median.
    pub fn boid_steps_per_second(&self, boids: u32) -> f64 {
        f64::from(boids) / (self.frame.median_ms * 1e-3)
    }

    /// Share of the frame that is in no named pass, at the medians.
    pub fn unnamed_share(&self) -> f64 {
        if self.frame.median_ms > 0.0 { self.unnamed.median_ms / self.frame.median_ms } else { 0.0 }
    }
}

/// Times `plan` steps of `work` with `search`, one submission per step, and returns the simulation too. `progress`
/// is called with each step, and its error ends the measurement.
///
/// # Errors
/// [`Error::NoDevice`] when the device has no timestamps; other errors if it fails.
pub fn steps<E: From<Error>>(
    device: &Arc<Device>,
    work: &Work,
    search: Search,
    plan: Plan,
    rates: &mut CopyRates,
    progress: impl Fn(u64) -> Result<(), E>,
) -> Result<(Measured, Simulation), E> {
    let settings = Settings { search, ..work.settings.clone() };
    let start = work.start(search);
    // One step per submission, because frame times include the time between steps.
    let simulation = took("flock to be timed", || Simulation::starting_from(device, &settings, &start))?;
    let mut simulation = simulation.with_steps_per_submission(1);
    let journal = simulation.advance_noting()?;
    for _ in 1..plan.warm_up {
        simulation.advance(1)?;
        progress(1)?;
    }
    rates.wake()?;
    let (mut timings, mut recording) = (PassTimings::default(), Vec::new());
    let mut left = plan.repeats;
    while left > 0 {
        let round = work.restart.unwrap_or(left).min(left);
        if work.restart.is_some() {
            took("fresh start", || simulation.flock_mut().start_from(&start))?;
            simulation.advance(UNTIMED)?;
        }
        simulation.wait()?;
        simulation.clear_timings();
        for _ in 0..round {
            simulation.advance(1)?;
            progress(1)?;
        }
        simulation.wait()?;
        timings.append(simulation.timings());
        recording.extend_from_slice(simulation.recording_times());
        left -= round;
    }
    let statistics = timings.frame_statistics();
    let measured = rows(device, &statistics, &journal, simulation.flock(), median(recording), rates)?;
    Ok((measured, simulation))
}

/// Combines times and bytes. `statistics` are those of whole frames whose journal is `journal`.
///
/// # Errors
/// [`Error::NoDevice`] when there are no times; what the device could not do when it copied.
pub fn rows(
    device: &Device,
    statistics: &[PassStatistics],
    journal: &Journal,
    flock: &Flock,
    record_ms: Option<f64>,
    rates: &mut CopyRates,
) -> Result<Measured> {
    let whole = |name: &str| statistics.iter().find(|pass| pass.name == name).copied();
    let (Some(frame), Some(unnamed)) = (whole("frame"), whole("unnamed")) else {
        return Err(Error::NoDevice(format!("{} has no timestamps on its queue", device.info().name)));
    };
    let mut passes = Vec::new();
    for pass in statistics.iter().filter(|pass| pass.name != "frame" && pass.name != "unnamed") {
        let (runs, bytes) = traffic(journal, flock, pass.name);
        let bound_ms = match bytes {
            // Each run counts as a separate copy, with its start-up cost.
            Some(bytes) if runs > 0 => {
                let each = bytes / u64::from(runs);
                Some(each as f64 / rates.at(each)?.bytes_per_second() * 1e3 * f64::from(runs))
            }
            _ => None,
        };
        passes.push(PassRow { times: *pass, runs, bytes, bound_ms });
    }
    Ok(Measured { passes, frame, unnamed, record_ms })
}

/// How often the pass `wanted` runs, and its bytes: each buffer counts once, or twice if it is both read and written. None
/// if the pass uses a resource that is not the flock's.
fn traffic(journal: &Journal, flock: &Flock, wanted: &str) -> (u32, Option<u64>) {
    let (mut runs, mut total) = (0, Some(0));
    for pass in journal.passes().filter(|pass| pass.name == wanted) {
        runs += 1;
        for touch in &pass.uses {
            let times = u64::from(touch.reads()) + u64::from(touch.writes());
            total = total.zip(flock.bytes_of(touch.resource)).map(|(total, bytes)| total + times * bytes);
        }
    }
    (runs, total)
}

fn median(times: Vec<Duration>) -> Option<f64> {
    let mut times: Vec<f64> = times.into_iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}
