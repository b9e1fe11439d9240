//! What a script does with the flock that is stepped.

use super::devices::{Place, device};
use crate::cli::request::Request;
use crate::running::Running;
use crate::{Error, Result};
use glam::Vec3;
use starlings::flock::{BoidState, MAX_STEPS_PER_SUBMISSION, Settings};
use starlings::render::Look;
use std::time::{Duration, Instant};

/// How long a script waits, at most, until it can interrupt a flock of short steps.
const PATIENCE: Duration = Duration::from_millis(50);

/// Frames in flight of a flock on a device.
const SLOTS: usize = 2;

impl Running {
    /// The flock of `request` at its start, with the `settings` that it begins with, on the device at `place` unless
    /// the CPU steps it.
    pub fn asked(request: &Request, settings: &Settings, place: &Place) -> Result<Running> {
        if settings.engine.is_cpu() {
            let of_a_device = [("gpu", place.gpu.as_deref()), ("shared", place.shared.then_some("true"))];
            if let Some((name, value)) = of_a_device.into_iter().find_map(|(name, value)| Some((name, value?))) {
                let accepted = format!("nothing: engine {} uses no device", settings.engine);
                return Err(Error::flag(name, format!("'{value}'"), accepted));
            }
            return Running::new(None, settings, None);
        }
        let device = device(place)?;
        request.check(&device)?;
        Running::new(Some(&device), settings, None)
    }

    /// Takes `steps` steps and waits for them, unless `ask` says in between that they are enough.
    pub fn advance(&mut self, steps: u32, ask: &mut dyn FnMut() -> bool) -> Result<()> {
        let (mut left, mut asked) = (steps, Instant::now());
        while left > 0 {
            left -= match self {
                Running::Device(simulation) => {
                    let most = simulation.flock().steps_at_once().min(MAX_STEPS_PER_SUBMISSION);
                    let now = left.min(most);
                    simulation.advance(now)?;
                    now
                }
                Running::Cpu(engine) => {
                    engine.advance(1);
                    1
                }
            };
            if asked.elapsed() >= PATIENCE {
                if !ask() {
                    self.wait()?;
                    return Err(Error::Interrupted);
                }
                asked = Instant::now();
            }
        }
        self.wait()
    }

    pub fn positions(&self) -> Result<Vec<Vec3>> {
        match self {
            Running::Device(simulation) => Ok(simulation.flock().positions()?),
            Running::Cpu(engine) => Ok(engine.state().by_id().position),
        }
    }

    pub fn velocities(&self, settings: &Settings) -> Result<Vec<Vec3>> {
        match self {
            Running::Device(simulation) => Ok(simulation.flock().velocities()?),
            Running::Cpu(engine) => Ok(engine.state().by_id().velocities(settings)),
        }
    }

    pub fn set_state(&mut self, state: &BoidState) -> Result<()> {
        match self {
            Running::Device(simulation) => simulation.flock_mut().set_state(state)?,
            Running::Cpu(engine) => engine.set_state_at(state, engine.step()),
        }
        Ok(())
    }

    /// Goes on with other settings; false where that takes another flock.
    pub fn adjust(&mut self, settings: &Settings) -> Result<bool> {
        match self {
            Running::Device(simulation) => Ok(simulation.flock_mut().adjust(settings)?),
            Running::Cpu(engine) => Ok(engine.adjust(settings).map(|()| true)?),
        }
    }

    /// Whether the neighbors of the last step were counted.
    pub fn shows_neighbors(&self) -> bool {
        matches!(self, Running::Device(simulation) if simulation.flock().shows_neighborhoods())
    }

    /// From the next step on, counts neighbors if pictures of this look show them.
    pub fn show(&mut self, look: &Look) -> Result<()> {
        match self {
            Running::Device(simulation) => Ok(look.observe(simulation.flock_mut(), SLOTS)?),
            Running::Cpu(_) => Ok(()),
        }
    }
}
