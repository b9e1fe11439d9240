//! How crowded the steps have found the flock: what they hand over, read once the device is done with them.

use super::{Flock, MAX_STEPS_PER_SUBMISSION};
use crate::error::Result;
use crate::flock::crowding;
use crate::flock::layout::Crowding;
use crate::flock::search::GridKind;
use crate::limits::CROWDING_REPORTS;

impl Flock {
    /// Reads what the last step in frame slot `slot`, which the device is done with, says of the crowding.
    pub(super) fn read_crowding(&mut self, slot: usize) {
        if let Some(step) = self.unread[slot].take() {
            let place = u64::from(step % CROWDING_REPORTS) * size_of::<Crowding>() as u64;
            self.crowding = self.buffers.crowding.read(place, 1)[0];
            self.counted = step;
        }
    }

    /// Steps taken since the crowding that is known.
    pub(super) fn uncounted(&self) -> u32 {
        self.step.saturating_sub(self.counted)
    }

    /// How crowded the cells were in the last step that the device has finished. Waits for the device.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when it is lost.
    pub fn crowding(&mut self) -> Result<Crowding> {
        self.device.wait_idle()?;
        let mut slots: Vec<usize> = (0..self.unread.len()).filter(|&slot| self.unread[slot].is_some()).collect();
        slots.sort_by_key(|&slot| self.unread[slot]);
        slots.into_iter().for_each(|slot| self.read_crowding(slot));
        Ok(self.crowding)
    }

    /// Whether the device counts the boids of its cells, and says so.
    pub fn is_counted(&self) -> bool {
        self.settings.search.grid() == GridKind::CountingSorted && !self.settings.engine.is_cpu()
    }

    /// How crowded the cells were a few steps ago.
    pub fn known_crowding(&self) -> Crowding {
        self.crowding
    }

    /// Steps that the next submission should hold, at most: few where the flock is crowded, so that the submission ends soon.
    pub fn steps_at_once(&self) -> u32 {
        let most = MAX_STEPS_PER_SUBMISSION;
        crowding::steps_at_once(&self.settings, self.crowding, self.uncounted(), most, self.budget)
    }

    /// Lets one dispatch, and one submission, visit so many candidates in place of [`crowding::BUDGET`]. For tests.
    pub fn set_budget(&mut self, candidates: f64) {
        self.budget = candidates;
    }
}
