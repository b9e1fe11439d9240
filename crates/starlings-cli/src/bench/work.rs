//! What is computed: a flock's settings and the state that the measurement starts from.

use super::stepper::Place;
use super::took;
use crate::error::Result;
use starlings::flock::crowding;
use starlings::flock::law::Radii;
use starlings::flock::layout::Crowding;
use starlings::flock::{BoidState, Search, Settings, SpawnShape, Start, spawn};
use std::f32::consts::PI;
use std::sync::OnceLock;

/// Steps after which the benchmark's flock is in [`State::F`].
pub const FLOCKED_STEPS: u32 = 500;

/// Timed steps after which a flock in [`State::U`] starts over: it gathers, and after a hundred steps a boid would have
/// twice the neighbors.
pub const RESTART: u32 = 10;

/// Steps after a fresh start that are not timed: the first sorts boids that lie in no order.
pub(super) const UNTIMED: u32 = 3;

/// Boids of the benchmark's flock unless another count is asked for.
const BOIDS: u32 = 1 << 20;

/// How the benchmark's flock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Uniformly at random in the box.
    U,
    /// The same flock after [`FLOCKED_STEPS`] steps.
    F,
}

impl State {
    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            State::U => "U",
            State::F => "F",
        }
    }

    /// Steps that lead to it.
    pub fn steps(self) -> u32 {
        match self {
            State::U => 0,
            State::F => FLOCKED_STEPS,
        }
    }
}

/// The flock of the benchmark: one boid per cubic unit, cohesion and alignment within 2, separation within 0.6. Away
/// from the walls a boid of a uniform flock then has 33.5 neighbors.
pub fn settings() -> Settings {
    let mut settings = Settings::preset("reynolds").expect("a preset of ours").with_boids(BOIDS).with_density(1.0);
    settings.spawn = SpawnShape::Box;
    settings.rules.separation_radius = 0.6;
    settings.rules.alignment_radius = 2.0;
    settings.rules.cohesion_radius = 2.0;
    settings
}

/// The same flock with other radii for cohesion and alignment, such that a boid of a uniform flock has `neighbors`
/// neighbors on average, away from the walls. A law with one radius gets that one.
pub fn with_neighbors(settings: &Settings, neighbors: f32) -> Settings {
    let volume = neighbors / (PI * settings.density());
    let radius = if settings.plane { volume.sqrt() } else { (0.75 * volume).cbrt() };
    let mut settings = settings.clone();
    if settings.law.info().radii == Radii::One {
        return settings.with_radius(radius);
    }
    settings.rules.alignment_radius = radius;
    settings.rules.cohesion_radius = radius;
    settings.rules.separation_radius = settings.rules.separation_radius.min(radius);
    settings
}

/// A flock and where its boids are when the measurement starts.
pub struct Work {
    /// The settings, with the search that is measured first.
    pub settings: Settings,
    /// The state of every boid.
    pub state: BoidState,
    /// Steps that led to it.
    pub step: u32,
    /// Timed steps after which the flock starts over from that state, if ever.
    pub restart: Option<u32>,
    /// How crowded the cells of the settings' grid are, once that was asked for.
    crowding: OnceLock<Crowding>,
}

impl Work {
    /// The flock of `settings` as it is spawned.
    pub fn spawned(settings: &Settings) -> Work {
        Work::of(settings, took("spawned flock", || spawn(settings)), 0)
    }

    /// The flock of `settings` in `state`, to which `place` leads it, or as it is spawned. `progress` is called with
    /// each step that leads there, and its error ends them.
    pub fn in_state(
        place: &Place,
        settings: &Settings,
        state: Option<State>,
        progress: impl Fn(u64) -> Result<()>,
    ) -> Result<Work> {
        match state {
            None => Ok(Work::spawned(settings)),
            Some(State::U) => Ok(Work { restart: Some(RESTART), ..Work::spawned(settings) }),
            Some(State::F) => {
                let mut stepper = place.stepper(settings, None)?;
                for _ in 0..FLOCKED_STEPS {
                    stepper.step()?;
                    progress(1)?;
                }
                Ok(Work::of(settings, stepper.state()?, FLOCKED_STEPS))
            }
        }
    }

    /// The flock of `settings` in a state that `step` steps have led to.
    fn of(settings: &Settings, state: BoidState, step: u32) -> Work {
        Work { settings: settings.clone(), state, step, restart: None, crowding: OnceLock::new() }
    }

    /// Where a flock with `search` starts.
    pub fn start(&self, search: Search) -> Start<'_> {
        // Other searches may have another grid.
        let crowding = (search == self.settings.search).then(|| self.crowding());
        Start { state: &self.state, step: self.step, crowding }
    }

    /// Boids in the cell that holds the most.
    pub fn fullest_cell(&self) -> u32 {
        self.crowding().fullest
    }

    fn crowding(&self) -> Crowding {
        let count = || crowding::count(&self.settings.grid(), self.state.len(), |i| self.state.position[i]);
        *self.crowding.get_or_init(|| took("boids of each cell", count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flock_has_the_stated_neighbors_at_every_size() {
        for boids in [1_000, 1 << 20, 1 << 28] {
            let settings = settings().with_boids(boids);
            settings.validate().expect("valid settings");
            assert!((settings.mean_neighbors() - 33.51).abs() < 0.01, "{}", settings.mean_neighbors());
            let edge = f64::from(2.0 * settings.world.half_size.x);
            assert!((edge.powi(3) / f64::from(boids) - 1.0).abs() < 1e-5, "{edge}");
            for neighbors in [1.0, 8.0, 128.0] {
                let other = with_neighbors(&settings, neighbors);
                other.validate().expect("valid settings");
                assert!((other.mean_neighbors() / neighbors - 1.0).abs() < 1e-4, "{}", other.mean_neighbors());
            }
        }
    }
}
