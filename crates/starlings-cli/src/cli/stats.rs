//! `--stats`: order parameters of a run, as comma-separated values.

use super::numbers;
use super::output::create;
use crate::export::{Existing, OrderFile};
use crate::interrupt::Kept;
use crate::{Error, Result};
use clap::Args;
use starlings::cpu::Engine;
use starlings::flock::states::Behavior;
use starlings::flock::{OrderParameters, Settings, States};
use std::path::{Path, PathBuf};

/// `--stats` and what belongs to it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Order parameters")]
pub struct StatsArgs {
    /// Write order parameters to this file (CSV): polarization, milling, neighbor counts, nearest neighbor, speed; with
    /// `simulate` and a flock with states also the boids in each [default: none]
    #[arg(long, value_name = "FILE.csv")]
    stats: Option<PathBuf>,
    /// Steps from one row to the next
    #[arg(long, value_name = "COUNT", requires = "stats", default_value = "10")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    stats_every: u32,
}

impl StatsArgs {
    /// Opens the file, if requested, so that errors are reported before the run, which begins after `first` steps. The
    /// boids in each of `states` are counted.
    pub fn open(&self, settings: &Settings, states: States, first: u32, existing: Existing) -> Result<Option<Stats>> {
        let Some(path) = &self.stats else { return Ok(None) };
        let file = OrderFile::new(create(path, "stats", "csv", existing)?, settings, states);
        let file = Kept::new(file, |file| drop(file.finish()));
        Ok(Some(Stats { file, every: self.stats_every, next: first, states, counts: Vec::new() }))
    }

    /// The file, if requested.
    pub fn path(&self) -> Option<&Path> {
        self.stats.as_deref()
    }

    /// Steps from one row to the next, if any are wanted.
    pub fn every(&self) -> Option<u32> {
        self.stats.is_some().then_some(self.stats_every)
    }
}

/// The file of a run, and the states to measure: the initial one, and one every `every` steps. A state is measured in
/// the step that follows it, after the sort, and only in the last step of a submission.
pub struct Stats {
    file: Kept<OrderFile>,
    every: u32,
    next: u32,
    /// Those that are counted.
    states: States,
    /// Boids in each of them in the next sample, once they are counted.
    counts: Vec<u64>,
}

impl Stats {
    /// Writes a row and advances to the next sample.
    pub fn push(&mut self, order: &OrderParameters) -> Result<()> {
        self.next = order.step.saturating_add(self.every);
        self.file.with(|file| file.push(order, &self.counts))
    }

    /// Writes a row for the state of `engine` if it is the next sample.
    pub fn look_at(&mut self, engine: &Engine) -> Result<()> {
        if self.is_next(engine.step()) { self.push(&engine.order()) } else { Ok(()) }
    }

    /// Whether boids in each state are to be counted after `step` steps. The step that measures the sample changes
    /// their states.
    pub fn counts_at(&self, step: u32) -> bool {
        self.states.is_on() && self.next == step
    }

    /// Counts the boids in each state for the next sample.
    pub fn count(&mut self, behaviors: &[Behavior]) {
        self.counts = self.states.counts(behaviors);
    }

    /// Step count at the end of the next submission at most: where boids are to be counted, or as [`Stats::end`].
    pub fn stop(&self, step: u32) -> u32 {
        if self.states.is_on() && step < self.next { self.next } else { self.end() }
    }

    /// Step count at the end of the submission that measures the next sample.
    pub fn end(&self) -> u32 {
        self.next.saturating_add(1)
    }

    /// Whether the state after `step` steps is the next sample; measuring it takes one more step.
    pub fn is_next(&self, step: u32) -> bool {
        self.next == step
    }
}

/// Completes and commits the file of a run that went well, or that was interrupted: its rows are whole either way.
pub fn finish<T>(went: Result<T>, stats: Option<Stats>) -> Result<T> {
    if let (Ok(_) | Err(Error::Interrupted), Some(stats)) = (&went, stats) {
        stats.file.take().finish()?;
    }
    went
}
