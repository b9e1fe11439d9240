//! What each boid is doing: states, and how one is kept. [`transitions`](crate::transitions) has the table.

use super::engine::EngineKind;
use super::layout::StepParams;
use super::named::choices;
use super::random::{self, Stream};
use super::settings::Settings;
use super::walls::Walls;
use crate::error::{Error, Result};
use crate::limits::{INFLUENCE_MESHES, INFLUENCE_OBSTACLES};
use crate::transitions::{DECISION, STATE_CRUISE, STATE_FLAP, STATES as NAMES};
use std::ops::Range;

choices! {
    /// Whether each boid has a state, and which ones there are.
    enum States in STATES as "states" {
        None, "none", "no states";
        Birds, "birds", "flap, glide, bank left or right, descend, perch, take off, flee";
        Fish, "fish", "cruise, burst, rest";
    }
}

impl States {
    /// Whether boids have states.
    pub fn is_on(self) -> bool {
        self != States::None
    }

    /// Their numbers.
    pub fn numbers(self) -> Range<u32> {
        match self {
            States::None => 0..0,
            States::Birds => STATE_FLAP..STATE_CRUISE,
            States::Fish => STATE_CRUISE..NAMES.len() as u32,
        }
    }

    /// Their names, in that order.
    pub fn names(self) -> &'static [&'static str] {
        let numbers = self.numbers();
        &NAMES[numbers.start as usize..numbers.end as usize]
    }

    /// Fails unless `engine` keeps such states.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the engine.
    pub fn check(self, engine: EngineKind) -> Result<()> {
        if self.is_on() && engine.is_cpu() {
            let accepted = format!("none with engine {engine}: only the engine gpu keeps states");
            return Err(Error::setting("states", self, accepted));
        }
        Ok(())
    }

    /// How many boids are in each state, in the order of [`States::names`]; `behaviors` has their words.
    pub fn counts(self, behaviors: &[Behavior]) -> Vec<u64> {
        let mut counts = vec![0; self.names().len()];
        for behavior in behaviors {
            if let Some(count) = counts.get_mut((behavior.state() - self.numbers().start) as usize) {
                *count += 1;
            }
        }
        counts
    }
}

/// What a boid is doing, in a word: its state in the lowest four bits, the one before it in the next four, and the step
/// of the last transition modulo 2²⁴ in the rest.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Behavior(pub u32);

impl Behavior {
    /// The state at the start, after `step` steps.
    pub fn start(states: States, step: u32) -> Behavior {
        let state = states.numbers().start;
        Behavior(state | state << 4 | step << 8)
    }

    /// The number of the state.
    pub fn state(self) -> u32 {
        self.0 & 15
    }

    /// Steps since the last transition, up to `step` steps after the start: modulo 2²⁴.
    pub fn age(self, step: u32) -> u32 {
        step.wrapping_sub(self.0 >> 8) & 0xff_ffff
    }

    /// The same boid in another state, from `step` steps after the start on.
    #[must_use]
    pub fn then(self, state: u32, step: u32) -> Behavior {
        Behavior(state | self.state() << 4 | step << 8)
    }
}

impl Settings {
    /// Steps from one decision of a boid about its state to the next.
    pub(super) fn decision_steps(&self) -> u32 {
        (DECISION as f32 * 1e-3 / self.time_step).round().max(1.0) as u32
    }
}

/// What does not change during a flock's life of what decides about transitions: specialization constants of
/// `transition.comp`, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// From the flock's seed.
    pub seed: u32,
    /// What happens at the walls of the world: boids see threats through those that wrap.
    pub walls: Walls,
    /// Whether the law's cursor repels within its distance.
    pub cursor_repels: bool,
    /// Whether velocity slots hold headings.
    pub headings: bool,
    /// Whether boids may land on obstacles: not a constant, but another build of the kernel, so that the first writes
    /// no places.
    pub perches: bool,
    /// Whether some of those are meshes.
    pub meshes: bool,
}

impl Constants {
    /// Those of a flock of `settings`.
    pub fn of(settings: &Settings) -> Constants {
        Constants {
            seed: random::bits(settings.seed, Stream::Behavior, 0, 0) as u32,
            walls: settings.walls_met(),
            cursor_repels: settings.law.reads(super::Setting::CursorDistance),
            headings: settings.law.info().uses_heading,
            perches: settings.states == States::Birds && settings.influences() & INFLUENCE_OBSTACLES != 0,
            meshes: settings.states == States::Birds && settings.influences() & INFLUENCE_MESHES != 0,
        }
    }

    /// As the kernel has them.
    pub fn list(self) -> [u32; 5] {
        [self.seed, self.walls as u32, self.cursor_repels.into(), self.headings.into(), self.meshes.into()]
    }

    /// The largest speed, in units of the velocity slot.
    pub fn full(self, params: &StepParams) -> f32 {
        if self.headings { 1.0 } else { params.rules.max_speed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transitions::{BIRD_SHARES, FISH_SWIMS, LEAST, TRANSITIONS};

    #[test]
    fn transitions_stay_among_birds_and_among_fish() {
        for states in [States::Birds, States::Fish] {
            let bits = states.numbers().fold(0, |bits, state| bits | 1 << state);
            let (mut left, mut reached) = (0, 1 << states.numbers().start);
            for row in TRANSITIONS.iter().filter(|row| row.from & bits != 0) {
                assert!(row.from & !bits == 0 && states.numbers().contains(&row.to), "{row:?}");
                assert!(row.from & 1 << row.to == 0 && row.rate > 0, "{row:?}");
                (left, reached) = (left | row.from, reached | 1 << row.to);
            }
            assert_eq!((left, reached), (bits, bits), "each state of {states} can be reached and left");
        }
        assert_eq!([LEAST.len(), BIRD_SHARES.len(), FISH_SWIMS.len()], [NAMES.len(); 3]);
        assert!(BIRD_SHARES.iter().all(|shares| shares.iter().sum::<u32>() == 100), "{BIRD_SHARES:?}");
    }

    #[test]
    fn a_word_holds_two_states_and_a_step() {
        let start = Behavior::start(States::Birds, 7);
        assert_eq!((start.state(), start.age(7), start.age(10)), (STATE_FLAP, 0, 3));
        let next = start.then(5, 0x1ff_ffff);
        assert_eq!((next.state(), next.0 >> 4 & 15, next.age(0x200_0001)), (5, STATE_FLAP, 2));
        assert_eq!(States::Birds.counts(&[start, next, next]), [1, 0, 0, 0, 0, 2, 0, 0]);
    }

    #[test]
    fn only_kernels_keep_states() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        settings.states = States::Birds;
        settings.validate().expect("the engine gpu");
        settings.engine = EngineKind::Cpu;
        assert_eq!(
            settings.validate().expect_err("no kernels").to_string(),
            "states is birds; accepted is none with engine cpu: only the engine gpu keeps states"
        );
    }
}
