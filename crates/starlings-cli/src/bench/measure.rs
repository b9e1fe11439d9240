//! How long each pass of a step takes, and how many bytes it moves.

use super::stepper::{Place, Stepper, no_timestamps};
use super::took;
use super::work::{UNTIMED, Work};
use crate::error::Result;
use crate::running::Running;
use starlings::copy_rate::CopyRates;
use starlings::flock::{Flock, Search, Settings};
use starlings::vk::{Journal, PassStatistics};

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
    /// Statistics of whole frames; none without those of the `frame`.
    pub fn of(statistics: &[PassStatistics]) -> Option<Measured> {
        let whole = |name: &str| statistics.iter().find(|pass| pass.name == name).copied();
        let (frame, unnamed) = (whole("frame")?, whole("unnamed")?);
        let passes = statistics.iter().filter(|pass| pass.name != "frame" && pass.name != "unnamed");
        let passes = passes.map(|&times| PassRow { times, runs: 1, bytes: None, bound_ms: None }).collect();
        Some(Measured { passes, frame, unnamed, record_ms: None })
    }

    /// Adds the bytes that each pass of `journal` moves, and the time of a copy of as many.
    pub fn compare(&mut self, journal: &Journal, flock: &Flock, rates: &mut CopyRates) -> Result<()> {
        for pass in &mut self.passes {
            (pass.runs, pass.bytes) = traffic(journal, flock, pass.times.name);
            if let Some(bytes) = pass.bytes.filter(|_| pass.runs > 0) {
                // Each run counts as a separate copy, with its start-up cost.
                let each = bytes / u64::from(pass.runs);
                let copy_ms = each as f64 / rates.at(each)?.bytes_per_second() * 1e3;
                pass.bound_ms = Some(copy_ms * f64::from(pass.runs));
            }
        }
        Ok(())
    }

    /// Boids moved by one step in a second, at the median.
    pub fn boid_steps_per_second(&self, boids: u32) -> f64 {
        f64::from(boids) / (self.frame.median_ms * 1e-3)
    }

    /// Share of the frame that is in no named pass, at the medians.
    pub fn unnamed_share(&self) -> f64 {
        if self.frame.median_ms > 0.0 { self.unnamed.median_ms / self.frame.median_ms } else { 0.0 }
    }
}

/// Times `plan` steps of `work` with `search` at `place`, and returns the flock too. `progress` is called with each
/// step, and its error ends the measurement. Without `rates`, as on the CPU, passes have no bytes.
///
/// # Errors
/// [`starlings::Error::NoDevice`] when the device has no timestamps; other errors if it fails.
pub fn steps(
    place: &Place,
    work: &Work,
    search: Search,
    plan: Plan,
    rates: Option<&mut CopyRates>,
    progress: impl Fn(u64) -> Result<()>,
) -> Result<(Measured, Stepper)> {
    let settings = Settings { search, ..work.settings.clone() };
    let start = work.start(search);
    let mut stepper = took("flock to be timed", || place.stepper(&settings, Some(&start)))?;
    let journal = stepper.step_noting()?;
    for _ in 1..plan.warm_up {
        stepper.step()?;
        progress(1)?;
    }
    if let Some(rates) = &rates {
        rates.wake()?;
    }
    let mut left = plan.repeats;
    while left > 0 {
        let round = work.restart.unwrap_or(left).min(left);
        if work.restart.is_some() {
            took("fresh start", || stepper.start_over(&start))?;
            (0..UNTIMED).try_for_each(|_| stepper.step())?;
        }
        stepper.pause(false)?;
        for _ in 0..round {
            stepper.step()?;
            progress(1)?;
        }
        stepper.pause(true)?;
        left -= round;
    }
    let mut measured = Measured::of(&stepper.statistics()).ok_or_else(|| no_timestamps(&stepper.describe().0))?;
    measured.record_ms = stepper.record_ms();
    if let (Running::Device(simulation), Some(rates)) = (&stepper.running, rates) {
        measured.compare(&journal, simulation.flock(), rates)?;
    }
    Ok((measured, stepper))
}

/// How often the pass `wanted` runs, and its bytes: each buffer counts once, or twice if it is both read and written.
/// None if the pass uses a resource that is not the flock's.
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
