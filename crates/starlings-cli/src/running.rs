//! A flock that is stepped, by kernels on a device or by the CPU engine.

use crate::Result;
use crate::cli::numbers::counted;
use crate::interrupt;
use starlings::Cancel;
use starlings::cpu::{Engine, Threads};
use starlings::flock::{BoidState, EngineKind, Settings, Start};
use starlings::simulation::Simulation;
use starlings::vk::Device;
use std::sync::Arc;

/// A flock that can be stepped.
pub enum Running {
    Device(Box<Simulation>),
    Cpu(Box<Engine>),
}

impl Running {
    /// The flock of `settings`, from `start` on or as it is spawned: on `device`, or by the CPU engine that `settings`
    /// name.
    pub fn new(device: Option<&Arc<Device>>, settings: &Settings, start: Option<&Start<'_>>) -> Result<Running> {
        let threads = if settings.engine == EngineKind::CpuSerial { Threads::One } else { Threads::All };
        Ok(match (device, start) {
            (Some(device), None) => Running::Device(Box::new(Simulation::new(device, settings)?)),
            (Some(device), Some(start)) => {
                Running::Device(Box::new(Simulation::starting_from(device, settings, start)?))
            }
            (None, None) => Running::Cpu(Box::new(Engine::new(settings, threads)?)),
            (None, Some(start)) => Running::Cpu(Box::new(Engine::starting_from(settings, threads, start)?)),
        })
    }

    /// Ends a step of the CPU engine early once `cancel` is requested: the flock is of no use then.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Running {
        match self {
            Running::Cpu(engine) => Running::Cpu(Box::new(engine.cancelled_by(cancel))),
            on_device => on_device,
        }
    }

    /// Goes on with `settings`: as it is where that is the same flock, else as another one that begins where this one
    /// is. On `device` where kernels step it.
    ///
    /// # Panics
    /// Without a device for settings that need one.
    pub fn go_on(&mut self, device: Option<&Arc<Device>>, settings: &Settings) -> Result<()> {
        match self {
            Running::Device(simulation) if !settings.engine.is_cpu() => simulation.go_on(settings)?,
            Running::Cpu(engine) if settings.engine.is_cpu() => engine.go_on(settings)?,
            // From one to the other.
            Running::Device(simulation) => {
                let (step, before) = (simulation.flock().step(), simulation.flock().settings());
                let state = simulation.flock().state()?.carried_over(before, settings);
                let start = Start { state: &state, step, crowding: None };
                *self = Running::new(None, settings, Some(&start))?.cancelled_by(interrupt::token());
            }
            Running::Cpu(engine) => {
                let state = engine.state().carried_over(engine.settings(), settings);
                let start = Start { state: &state, step: engine.step(), crowding: None };
                *self =
                    Running::new(Some(device.expect("a flight with the GPU has a device")), settings, Some(&start))?;
            }
        }
        Ok(())
    }

    /// Waits for the steps so far.
    pub fn wait(&mut self) -> Result<()> {
        match self {
            Running::Device(simulation) => Ok(simulation.wait()?),
            Running::Cpu(_) => Ok(()),
        }
    }

    /// Steps taken since the start.
    pub fn step(&self) -> u32 {
        match self {
            Running::Device(simulation) => simulation.flock().step(),
            Running::Cpu(engine) => engine.step(),
        }
    }

    /// What steps it, in words.
    pub fn place(&self) -> String {
        match self {
            Running::Device(simulation) => simulation.flock().device().info().name.clone(),
            Running::Cpu(engine) => counted(engine.threads() as u64, "thread"),
        }
    }

    /// The state in the order of storage.
    pub fn state(&self) -> Result<BoidState> {
        match self {
            Running::Device(simulation) => Ok(simulation.flock().state()?),
            Running::Cpu(engine) => Ok(engine.state()),
        }
    }

    /// Goes on from `state`, as a checkpoint has it.
    pub fn resume(&mut self, state: &BoidState, step: u32) -> Result<()> {
        match self {
            Running::Device(simulation) => simulation.flock_mut().resume(state, step)?,
            Running::Cpu(engine) => engine.resume(state, step),
        }
        Ok(())
    }
}
