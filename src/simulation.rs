//! A flock that runs without being drawn: for exports, benchmarks and tests.

use crate::cpu;
use crate::error::Result;
use crate::flock::{EngineKind, Flock, MAX_STEPS_PER_SUBMISSION, Observation, OrderParameters, Settings, Start};
use crate::frame::{OpenFrame, record_steps};
use crate::vk::{Device, Fault, FrameSlots, Journal, PassTimings, RecordOptions};
use std::sync::Arc;
use std::time::Duration;

/// Submissions in flight: the host records one while the device runs the other.
const SLOTS: usize = 2;

/// Recording times that are kept at most; then the older half is dropped.
const MOST_KEPT: usize = 1 << 16;

/// A flock and its frame slots.
pub struct Simulation {
    // Before the flock: dropping a slot waits for its submission, which uses the flock's buffers.
    slots: FrameSlots,
    flock: Flock,
    steps_per_submission: u32,
    faults: Vec<Fault>,
    recording: Vec<Duration>,
    /// The slot of the last frame whose order parameters were requested.
    order: Option<usize>,
}

impl Simulation {
    /// Spawns the flock of `settings` on `device`.
    ///
    /// # Errors
    /// As [`Flock::new`].
    pub fn new(device: &Arc<Device>, settings: &Settings) -> Result<Self> {
        // Here kernels step the flock, whichever engine the settings name.
        Self::of_many(device, &[Settings { engine: EngineKind::Gpu, ..settings.clone() }])
    }

    /// Spawns flocks that are stepped at once: see [`Flock::many`].
    ///
    /// # Errors
    /// As [`Flock::many`].
    ///
    /// # Panics
    /// As [`Flock::many`].
    pub fn of_many(device: &Arc<Device>, each: &[Settings]) -> Result<Self> {
        Self::of(device, Flock::many(device, each, SLOTS)?)
    }

    /// The flock of `settings`, starting from `start`.
    ///
    /// # Errors
    /// As [`Flock::new`].
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn starting_from(device: &Arc<Device>, settings: &Settings, start: &Start<'_>) -> Result<Self> {
        let settings = Settings { engine: EngineKind::Gpu, ..settings.clone() };
        Self::of(device, Flock::starting_from(device, &settings, SLOTS, start)?)
    }

    fn of(device: &Arc<Device>, flock: Flock) -> Result<Self> {
        Ok(Simulation {
            flock,
            slots: FrameSlots::new(device, "simulation", SLOTS, true)?,
            steps_per_submission: MAX_STEPS_PER_SUBMISSION,
            faults: Vec::new(),
            recording: Vec::new(),
            order: None,
        })
    }

    /// Puts at most `steps` steps (from 1 to [`MAX_STEPS_PER_SUBMISSION`]) into one command buffer.
    #[must_use]
    pub fn with_steps_per_submission(mut self, steps: u32) -> Self {
        self.steps_per_submission = steps.clamp(1, MAX_STEPS_PER_SUBMISSION);
        self
    }

    /// Builds faults into the synchronization of every step, to show what a dependency is for.
    #[must_use]
    pub fn with_faults(mut self, faults: Vec<Fault>) -> Self {
        self.faults = faults;
        self
    }

    /// Submits `steps` steps. Returns before the device has finished them.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost or out of memory.
    pub fn advance(&mut self, steps: u32) -> Result<()> {
        self.submit(steps, None)
    }

    /// The same, and observes the last of the steps: [`Simulation::order`] then has the order parameters of the flock
    /// before it.
    ///
    /// # Errors
    /// As [`Simulation::advance`], or the error of creating an object for the first observation.
    pub fn advance_observed(&mut self, steps: u32, what: Observation) -> Result<()> {
        self.flock.start_observing(SLOTS)?;
        self.submit(steps, Some(what))
    }

    fn submit(&mut self, steps: u32, what: Option<Observation>) -> Result<()> {
        let mut left = steps;
        while left > 0 {
            let count = left.min(self.steps_per_submission).min(self.flock.steps_at_once());
            left -= count;
            self.submit_one(count, what.filter(|_| left == 0), false)?;
        }
        Ok(())
    }

    /// Takes one step and returns its journal.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_noting(&mut self) -> Result<Journal> {
        Ok(self.submit_one(1, None, true)?.unwrap_or_default())
    }

    fn submit_one(&mut self, steps: u32, what: Option<Observation>, journal: bool) -> Result<Option<Journal>> {
        let mut frame = OpenFrame::begin(&mut self.slots)?;
        let begun = std::time::Instant::now();
        let prepared = frame.write(|index| cpu::prepare(None, &mut self.flock, index, steps, what));
        let options = RecordOptions { journal, faults: &self.faults };
        let journal = frame.record(options, |rec| record_steps(rec, &self.flock, &prepared))?;
        if let Some(what) = what {
            self.order = (what == Observation::Order).then_some(frame.index());
        }
        if self.recording.len() == MOST_KEPT {
            self.recording.drain(..MOST_KEPT / 2);
        }
        self.recording.push(begun.elapsed());
        drop(frame.submit(None)?);
        Ok(journal)
    }

    /// Goes on with other settings from the next step on: see [`Flock::go_on`]. Waits for the device.
    ///
    /// # Errors
    /// As [`Flock::go_on`].
    pub fn go_on(&mut self, settings: &Settings) -> Result<()> {
        self.wait()?;
        self.flock.go_on(&Settings { engine: EngineKind::Gpu, ..settings.clone() }).map(drop)
    }

    /// Waits until the device has finished every step.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost.
    pub fn wait(&mut self) -> Result<()> {
        self.slots.wait_all()
    }

    /// The order parameters of the last step for which they were requested, once [`Simulation::wait`] has returned.
    pub fn order(&self) -> Option<OrderParameters> {
        self.order.and_then(|slot| self.flock.order(slot))
    }

    /// The same of each flock; none if they were not requested.
    pub fn orders(&self) -> Vec<OrderParameters> {
        self.order.map_or(Vec::new(), |slot| self.flock.orders(slot))
    }

    /// GPU times of every pass so far, once [`Simulation::wait`] has returned.
    pub fn timings(&self) -> &PassTimings {
        self.slots.timings()
    }

    /// CPU time that each submission took to record, its parameters included: of at least the last 32,768.
    pub fn recording_times(&self) -> &[Duration] {
        &self.recording
    }

    /// Clears all times, for instance after a warm-up. Call [`Simulation::wait`] first.
    pub fn clear_timings(&mut self) {
        self.slots.timings_mut().clear();
        self.recording.clear();
    }

    /// The flock.
    pub fn flock(&self) -> &Flock {
        &self.flock
    }

    /// The flock, to reset it or to replace its state.
    pub fn flock_mut(&mut self) -> &mut Flock {
        &mut self.flock
    }
}
