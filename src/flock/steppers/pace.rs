//! The count of a search's workgroups in one dispatch, from the last known crowding of the flock: see [`crowding`].

use crate::flock::crowding::{self, BUDGET, UNKNOWN_RATE, Work};
use crate::flock::layout::Crowding;
use crate::flock::settings::Settings;
use crate::flock::state::MAX_STEPS_PER_SUBMISSION;

/// The pace of a flock that kernels step.
pub struct Pace {
    /// Crowding of the cells before step `counted`; zero for a search that does not need it.
    pub crowding: Crowding,
    /// The step of that crowding.
    pub counted: u32,
    /// The rate at which its squares have grown, per step; at least 1.
    rate: f64,
    /// Workgroups of a search that one dispatch of the steps last prepared takes.
    pub groups_at_once: u64,
    /// Candidates that one dispatch and one submission may visit.
    pub budget: f64,
}

impl Pace {
    /// The pace of a flock of unknown crowding.
    pub fn new() -> Pace {
        Pace { crowding: Crowding::default(), counted: 0, rate: UNKNOWN_RATE, groups_at_once: u64::MAX, budget: BUDGET }
    }

    /// Notes the crowding of a flock that was placed anew before `step`.
    pub fn place(&mut self, crowding: Crowding, step: u32) {
        (self.crowding, self.counted, self.rate) = (crowding, step, UNKNOWN_RATE);
    }

    /// Notes the crowding of the flock before `step`.
    pub fn note(&mut self, crowding: Crowding, step: u32) {
        let (before, steps) = (self.crowding.squares, step.saturating_sub(self.counted));
        if steps > 0 && before > 0.0 {
            // NaN, as on a device that is broken on purpose, becomes 1.
            self.rate = f64::from(crowding.squares / before).powf(1.0 / f64::from(steps)).max(1.0);
        }
        (self.crowding, self.counted) = (crowding, step);
    }

    /// Notes that the flock continues from `step`, with any crowding.
    pub fn set_back(&mut self, step: u32) {
        self.rate = UNKNOWN_RATE;
        self.counted = self.counted.min(step);
    }

    /// Prepares for steps `step` to `step + count`.
    pub fn prepare(&mut self, settings: &Settings, step: u32, count: u32) {
        let work = Work::after(settings, self.crowding, self.rate, self.uncounted(step) + count);
        self.groups_at_once = work.groups_at_once(settings, self.budget);
    }

    /// Steps, from `step` on, for one submission, at most: few if the flock is crowded, so that it is short.
    pub fn steps_at_once(&self, settings: &Settings, step: u32) -> u32 {
        let unknown = self.uncounted(step);
        crowding::steps_at_once(settings, self.crowding, self.rate, unknown, MAX_STEPS_PER_SUBMISSION, self.budget)
    }

    fn uncounted(&self, step: u32) -> u32 {
        step.saturating_sub(self.counted)
    }
}
