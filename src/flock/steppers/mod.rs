//! The steppers: each takes a flock's steps in its own way, and owns the objects that only it needs.
//!
//! A stepper is a type with its buffers and its passes, each a [`Kernel`] or a method, and a flock has exactly one.
//! Methods record only passes: the dependencies between them are in [`crate::frame`], which matches on the stepper, and
//! so cannot call a pass of another.

mod bitonic_sorted;
mod counting_sorted;
mod interface;
mod pace;
mod steering;
mod unsorted;
mod uploaded;

pub use bitonic_sorted::{BitonicSorted, EMPTY_CELL, exchanged_strides, merged_blocks};
pub use counting_sorted::{CountingSorted, ScanKernels};
pub use interface::Kernel;
pub use steering::Steering;
pub use unsorted::Unsorted;
pub use uploaded::{HostState, Uploaded, upload_size};

pub(crate) use interface::Interface;
pub(super) use steering::most_in_range;

use super::buffers::Buffers;
use super::engine::EngineKind;
use super::layout::Crowding;
use super::search::GridKind;
use super::settings::Settings;
use super::state::{MAX_STEPS_PER_SUBMISSION, State};
use crate::error::Result;
use crate::vk::Device;
use pace::Pace;
use std::sync::Arc;

/// How a flock is stepped.
pub enum Stepper {
    /// By kernels, with the flock in cell order by a counting sort.
    CountingSorted(CountingSorted),
    /// By kernels, with the flock in cell order by a bitonic sort.
    BitonicSorted(BitonicSorted),
    /// By kernels, without sorting the flock.
    Unsorted(Unsorted),
    /// By the CPU engine, whose results are uploaded to be drawn.
    Uploaded(Uploaded),
}

impl Stepper {
    /// Creates the stepper for a flock, or for flocks that are stepped at once, for `slots` frames in flight.
    ///
    /// # Errors
    /// The error of creating an object.
    pub(super) fn new(
        device: &Arc<Device>,
        each: &[Settings],
        state: &State,
        slots: usize,
        by_address: bool,
    ) -> Result<Stepper> {
        let settings = &each[0];
        if settings.engine != EngineKind::Gpu {
            return Ok(Stepper::Uploaded(Uploaded::new(device, settings, slots)?));
        }
        Ok(match settings.search.grid() {
            GridKind::CountingSorted => {
                Stepper::CountingSorted(CountingSorted::new(device, each, state, slots, by_address)?)
            }
            GridKind::BitonicSorted => Stepper::BitonicSorted(BitonicSorted::new(device, settings, state)?),
            GridKind::None => Stepper::Unsorted(Unsorted::new(device, settings, state)?),
        })
    }

    /// Its own buffers; none if the CPU takes the steps.
    pub fn buffers(&self) -> Option<&Buffers> {
        self.steering().map(|steering| &steering.buffers)
    }

    /// What moves the boids, if kernels do.
    pub fn steering(&self) -> Option<&Steering> {
        match self {
            Stepper::CountingSorted(stepper) => Some(&stepper.steering),
            Stepper::BitonicSorted(stepper) => Some(&stepper.steering),
            Stepper::Unsorted(stepper) => Some(&stepper.steering),
            Stepper::Uploaded(_) => None,
        }
    }

    fn pace_mut(&mut self) -> Option<&mut Pace> {
        match self {
            Stepper::CountingSorted(stepper) => Some(&mut stepper.steering.pace),
            Stepper::BitonicSorted(stepper) => Some(&mut stepper.steering.pace),
            Stepper::Unsorted(stepper) => Some(&mut stepper.steering.pace),
            Stepper::Uploaded(_) => None,
        }
    }

    /// Prepares `count` steps from `step` on, in frame slot `slot`, which the device is done with. False if the CPU
    /// takes them.
    pub(super) fn prepare(&mut self, settings: &Settings, slot: usize, step: u32, count: u32) -> bool {
        if let Stepper::CountingSorted(stepper) = self {
            stepper.read_crowding(slot);
            if count > 0 {
                stepper.expect_crowding(slot, step.wrapping_add(count - 1));
            }
        }
        self.pace_mut().map(|pace| pace.prepare(settings, step, count)).is_some()
    }

    /// Notes that the boids were placed before `step`, with the crowding that `count` returns, if needed.
    pub(super) fn placed(&mut self, step: u32, count: impl FnOnce() -> Crowding) {
        if let Stepper::CountingSorted(stepper) = self {
            stepper.forget_crowding();
            stepper.steering.pace.place(count(), step);
        }
    }

    /// Notes that the flock continues from `step`.
    pub(super) fn set_back(&mut self, step: u32) {
        if let Stepper::CountingSorted(stepper) = self {
            stepper.forget_crowding();
            stepper.steering.pace.set_back(step);
        }
    }

    /// Crowding of the cells a few steps ago; none if the stepper does not measure it.
    pub(super) fn crowding(&self) -> Option<Crowding> {
        match self {
            Stepper::CountingSorted(stepper) => Some(stepper.steering.pace.crowding),
            _ => None,
        }
    }

    /// Steps, from `step` on, for one submission, at most.
    pub(super) fn steps_at_once(&self, settings: &Settings, step: u32) -> u32 {
        self.steering().map_or(MAX_STEPS_PER_SUBMISSION, |steering| steering.pace.steps_at_once(settings, step))
    }

    /// Sets the most candidates for one dispatch, and one submission.
    pub(super) fn set_budget(&mut self, candidates: f64) {
        if let Some(pace) = self.pace_mut() {
            pace.budget = candidates;
        }
    }
}
