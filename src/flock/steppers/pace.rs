//! The count of a search's workgroups in one dispatch, from the last known crowding of the flock: see [`crowding`].

use crate::flock::crowding::{self, BUDGET, Work};
use crate::flock::layout::Crowding;
use crate::flock::settings::Settings;
use crate::flock::state::MAX_STEPS_PER_SUBMISSION;

/// The pace of a flock that kernels step.
pub struct Pace {
    /// Crowding of the cells before step `counted`; zero for a search that does not need it.
    pub crowding: Crowding,
    /// The step of that crowding.
    pub counted: u32,
    /// Workgroups of a search that one dispatch of the steps last prepared takes.
    pub groups_at_once: u64,
    /// Candidates that one dispatch and one submission may visit.
    pub budget: f64,
}

impl Pace {
    /// The pace of a flock of unknown crowding.
    pub fn new() -> Pace {
        Pace { crowding: Crowding::default(), counted: 0, groups_at_once: u64::MAX, budget: BUDGET }
    }

    /// Notes the crowding of the flock before `step`.
    pub fn note(&mut self, crowding: Crowding, step: u32) {
        (self.crowding, self.counted) = (crowding, step);
    }

    /// Notes that the flock continues from `step`.
    pub fn set_back(&mut self, step: u32) {
        self.counted = self.counted.min(step);
    }

    /// Prepares for steps `step` to `step + count`.
    pub fn prepare(&mut self, settings: &Settings, step: u32, count: u32) {
        let work = Work::after(settings, self.crowding, self.uncounted(step) + count);
        self.groups_at_once = work.groups_at_once(settings, self.budget);
    }

    /// Steps, from `step` on, for one submission, at most: few if the flock is crowded, so that it is short.
    pub fn steps_at_once(&self, settings: &Settings, step: u32) -> u32 {
        let unknown = self.uncounted(step);
        crowding::steps_at_once(settings, self.crowding, unknown, MAX_STEPS_PER_SUBMISSION, self.budget)
    }

    fn uncounted(&self, step: u32) -> u32 {
        step.saturating_sub(self.counted)
    }
}
