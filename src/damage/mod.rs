//! What goes wrong on a real device when a dependency of the frame is missing, counted.
//!
//! [`Trials`] flies a flock for a few steps with the dependency left out, flies the same steps again with all of them,
//! and compares. [`audit`] has what is looked at.
//!
//! # What makes the comparison fair
//! * **Nobody looks while the dependency is missing.** Reading a buffer between two steps takes a barrier, and that
//!   barrier would stand in for the missing one. So the steps of a trial are one submission, and all counting happens
//!   after it, with the device idle.
//! * **Every trial begins healthy**: with the state of the intact flock, not with what the trial before left. What is
//!   counted is what the missing dependency did within one trial, not what became of it later.
//! * **Two intact flights differ as well.** The order of boids within a cell is up to the device's atomics, sums of
//!   floats depend on their order, and the next steps enlarge what rounding began. So the intact flight is compared
//!   with an intact twin in the same way, and that is the measure: see [`Damage::hurt`].
//!
//! A run needs a device with [`robust`](crate::vk::DeviceOptions::robust) access. There, indices out of range read and
//! write nothing they should not, and the search cuts rows of absurd length, so that no garbage makes a step endless.

pub mod audit;
mod trials;

use std::time::Duration;

pub use audit::Counts;
pub use trials::{Breakable, MAX_STEPS_PER_TRIAL, Part, TOLERANCE, Trials};

/// What a trial may show beyond twice the worst of the intact twin and still not count as damage: a handful of boids that
/// happened to be at the very border of a radius, instances at that of the picture, or pixels.
const BY_CHANCE: u64 = 10;

/// What the trials of one dependency showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    /// What each trial showed.
    pub trials: Vec<Counts>,
    /// How long they took, all of them, on the wall.
    pub time: Duration,
}

impl Damage {
    /// Trials that show damage: those in which something is wrong that is never wrong in an intact flight, and those
    /// in which more than twice as many boids strayed, or pixels differ, as in any trial of the `intact` twin, and a
    /// handful.
    pub fn hurt(&self, intact: &Damage) -> usize {
        let worst = intact.worst();
        let is_hurt = |trial: &&Counts| {
            trial.certain() > 0
                || trial.strayed > 2 * worst.strayed + BY_CHANCE
                || trial.instances > 2 * worst.instances + BY_CHANCE
                || trial.pixels > 2 * worst.pixels + BY_CHANCE
        };
        self.trials.iter().filter(is_hurt).count()
    }

    /// The sum over all trials, with the farthest that any boid strayed.
    pub fn total(&self) -> Counts {
        self.merged(|a, b| a + b)
    }

    /// The most that any trial showed of each.
    pub fn worst(&self) -> Counts {
        self.merged(u64::max)
    }

    fn merged(&self, merge: impl Fn(u64, u64) -> u64 + Copy) -> Counts {
        self.trials.iter().fold(Counts::default(), |a, b| a.merge(b, merge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damage(trials: &[Counts]) -> Damage {
        Damage { trials: trials.to_vec(), time: Duration::ZERO }
    }

    #[test]
    fn what_is_never_wrong_hurts_at_once() {
        let intact = damage(&[Counts::default()]);
        let lost = Counts { lost: 1, ..Counts::default() };
        assert_eq!(damage(&[lost, Counts::default(), lost]).hurt(&intact), 2);
        assert_eq!(intact.hurt(&intact), 0);
    }

    #[test]
    fn what_chance_does_is_measured_by_the_twin() {
        let strayed = |strayed| Counts { strayed, farthest: strayed as f32, ..Counts::default() };
        let intact = damage(&[strayed(3), strayed(20), strayed(0)]);
        assert_eq!(damage(&[strayed(50)]).hurt(&intact), 0);
        assert_eq!(damage(&[strayed(51), strayed(0)]).hurt(&intact), 1);
        assert_eq!((intact.total().strayed, intact.worst().strayed, intact.total().farthest), (23, 20, 20.0));
    }
}
