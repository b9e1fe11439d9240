//! Counts of the damage on a real device when a dependency of the frame is missing.
//!
//! [`Trials`] runs a few steps with the dependency left out, runs the same steps with all dependencies, and compares
//! the results by [`audit`]. [`replay`] replays on the host what the specification allows without the dependency, on
//! any machine.
//!
//! # What makes the comparison fair
//! * **Nothing is read while the dependency is missing.** Reading a buffer between two steps needs a barrier, which
//!   would replace the missing one. So the steps of a trial are one submission, and counting starts after it, on an
//!   idle device.
//! * **Every trial starts from the intact flock's state**, not from the state after the previous trial. So the counts
//!   show the effect of the missing dependency within one trial only.
//! * **Two intact runs are compared in the same way.** Their flocks have the same bits, so a boid that is elsewhere is
//!   damage. The list of visible boids is in the order of the device's atomics, so their pictures may differ where
//!   boids meet; more than in the intact twin is damage: see [`Damage::hurt`].
//!
//! A run needs a device with [`robust`](starlings::vk::DeviceOptions::robust) access. There, indices out of range do
//! not access memory outside the buffer, and the search cuts overlong rows, so that invalid data cannot make a step run
//! very long.

pub mod audit;
pub mod replay;
mod trials;

pub use audit::Counts;
pub use trials::{Breakable, MAX_STEPS_PER_TRIAL, Part, TOLERANCE, Trials};

/// Beyond twice the worst of the intact twin, so many differences of the picture do not count as damage: instances or
/// pixels.
const BY_CHANCE: u64 = 10;

/// Results of the trials of one dependency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    /// The result of each trial.
    pub trials: Vec<Counts>,
}

impl Damage {
    /// Trials that show damage: those with an error that an intact run must not have, those in which more boids strayed
    /// than in any trial of the `intact` twin, and those in which more instances or pixels differ than twice as many as
    /// there, plus ten.
    pub fn hurt(&self, intact: &Damage) -> usize {
        let worst = intact.worst();
        let is_hurt = |trial: &&Counts| {
            trial.certain() > 0
                || trial.strayed > worst.strayed
                || trial.instances > 2 * worst.instances + BY_CHANCE
                || trial.pixels > 2 * worst.pixels + BY_CHANCE
        };
        self.trials.iter().filter(is_hurt).count()
    }

    /// The sum over all trials, with the farthest distance that any boid strayed.
    pub fn total(&self) -> Counts {
        self.merged(|a, b| a + b)
    }

    /// The maximum of each count over all trials.
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
        Damage { trials: trials.to_vec() }
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
        assert_eq!(damage(&[strayed(20)]).hurt(&intact), 0);
        assert_eq!(damage(&[strayed(21), strayed(0)]).hurt(&intact), 1);
        assert_eq!(damage(&[strayed(1)]).hurt(&damage(&[strayed(0)])), 1);
        let pixels = |pixels| Counts { pixels, ..Counts::default() };
        let intact_pixels = damage(&[pixels(3), pixels(20)]);
        assert_eq!(damage(&[pixels(50), pixels(51)]).hurt(&intact_pixels), 1);
        assert_eq!((intact.total().strayed, intact.worst().strayed, intact.total().farthest), (23, 20, 20.0));
    }
}
