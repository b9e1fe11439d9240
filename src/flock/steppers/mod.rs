//! The steppers: each takes steps of a flock in its own way, and owns what only that way needs.
//!
//! A stepper is a type with its buffers and its passes, each a [`Kernel`] or a method, and a flock has exactly one. A pass is
//! recorded and nothing else: what orders one pass after another stands in [`crate::frame`], which matches on the stepper and
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

pub(crate) use interface::{Interface, read, read_write, write};
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
    /// By kernels, with the flock in the order it is in.
    Unsorted(Unsorted),
    /// By the processor, whose results come to the device to be drawn.
    Uploaded(Uploaded),
}

impl Stepper {
    /// Builds the stepper that `settings` ask for, for `slots` frames in flight.
    ///
    /// # Errors
    /// What the device could not make.
    pub(super) fn new(
        device: &Arc<Device>,
        settings: &Settings,
        state: &State,
        slots: usize,
        by_address: bool,
    ) -> Result<Stepper> {
        if settings.engine != EngineKind::Gpu {
            return Ok(Stepper::Uploaded(Uploaded::new(device, settings, slots)?));
        }
        Ok(match settings.search.grid() {
            GridKind::CountingSorted => {
                Stepper::CountingSorted(CountingSorted::new(device, settings, state, slots, by_address)?)
            }
            GridKind::BitonicSorted => Stepper::BitonicSorted(BitonicSorted::new(device, settings, state)?),
            GridKind::None => Stepper::Unsorted(Unsorted::new(device, settings, state)?),
        })
    }

    /// Its own buffers; none where the processor takes the steps.
    pub fn buffers(&self) -> Option<&Buffers> {
        self.steering().map(|steering| &steering.buffers)
    }

    fn steering(&self) -> Option<&Steering> {
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

    /// Prepares for `count` steps from `step` on, in frame slot `slot`, which the device is done with. False where the processor
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

    /// Takes note that the boids are somewhere else before `step`, as crowded as `count` finds them, if that matters.
    pub(super) fn placed(&mut self, step: u32, count: impl FnOnce() -> Crowding) {
        if let Stepper::CountingSorted(stepper) = self {
            stepper.forget_crowding();
            stepper.steering.pace.note(count(), step);
        }
    }

    /// Takes note that the flock goes on from `step`.
    pub(super) fn set_back(&mut self, step: u32) {
        if let Stepper::CountingSorted(stepper) = self {
            stepper.forget_crowding();
            stepper.steering.pace.set_back(step);
        }
    }

    /// How crowded the cells were a few steps ago; none where the device does not count them.
    pub(super) fn crowding(&self) -> Option<Crowding> {
        match self {
            Stepper::CountingSorted(stepper) => Some(stepper.steering.pace.crowding),
            _ => None,
        }
    }

    /// Steps, from `step` on, that one submission should hold at most.
    pub(super) fn steps_at_once(&self, settings: &Settings, step: u32) -> u32 {
        self.steering().map_or(MAX_STEPS_PER_SUBMISSION, |steering| steering.pace.steps_at_once(settings, step))
    }

    /// Lets one dispatch, and one submission, visit so many candidates.
    pub(super) fn set_budget(&mut self, candidates: f64) {
        if let Some(pace) = self.pace_mut() {
            pace.budget = candidates;
        }
    }
}
