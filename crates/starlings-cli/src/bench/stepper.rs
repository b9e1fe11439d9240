//! What steps a flock that is timed: kernels on a device, or the CPU engine. A step on a device is timed by timestamps,
//! one on the CPU by the clock.

use crate::error::Result;
use crate::running::Running;
use serde_json::{Value, json};
use starlings::cpu::{StepTimes, Threads};
use starlings::flock::{BoidState, EngineKind, Settings, Start};
use starlings::vk::{Device, Journal, PassStatistics, PassTimings, Spread};
use std::sync::Arc;
use std::time::Duration;

/// Where flocks are stepped.
#[derive(Clone)]
pub enum Place {
    /// On a device.
    Device(Arc<Device>),
    /// By the CPU engine.
    Cpu(Threads),
}

/// A flock that is stepped, one submission a step, and the times of its steps.
pub struct Stepper {
    /// The flock.
    pub running: Running,
    /// Times on a device that were kept.
    timings: PassTimings,
    /// CPU times to record those steps.
    recording: Vec<Duration>,
    /// Times on the CPU that were kept, and those since.
    times: [Vec<StepTimes>; 2],
}

impl Place {
    /// Where this engine of the CPU steps a flock.
    pub fn on_cpu(engine: EngineKind) -> Place {
        Place::Cpu(if engine == EngineKind::CpuSerial { Threads::One } else { Threads::All })
    }

    /// The flock of `settings`, whose engine is ignored, from `start` on or as it is spawned.
    pub fn stepper(&self, settings: &Settings, start: Option<&Start<'_>>) -> Result<Stepper> {
        let (device, engine) = match self {
            Place::Device(device) => (Some(device), settings.engine),
            Place::Cpu(Threads::One) => (None, EngineKind::CpuSerial),
            Place::Cpu(Threads::All) => (None, EngineKind::Cpu),
        };
        // One step per submission, because frame times include the time between steps.
        let running = match Running::new(device, &Settings { engine, ..settings.clone() }, start)? {
            Running::Device(simulation) => Running::Device(Box::new(simulation.with_steps_per_submission(1))),
            on_cpu => on_cpu,
        };
        Ok(Stepper { running, timings: PassTimings::default(), recording: Vec::new(), times: Default::default() })
    }
}

impl Stepper {
    /// Takes a step. On a device it may still run when this returns.
    pub fn step(&mut self) -> Result<()> {
        match &mut self.running {
            Running::Device(simulation) => simulation.advance(1)?,
            Running::Cpu(engine) => {
                engine.advance(1);
                self.times[1].push(engine.times());
            }
        }
        Ok(())
    }

    /// Takes a step and returns its journal, which is empty on the CPU.
    pub fn step_noting(&mut self) -> Result<Journal> {
        match &mut self.running {
            Running::Device(simulation) => Ok(simulation.advance_noting()?),
            Running::Cpu(_) => self.step().map(|()| Journal::default()),
        }
    }

    /// Waits for the steps since the last call, and keeps or drops their times.
    pub fn pause(&mut self, keep: bool) -> Result<()> {
        self.running.wait()?;
        if let Running::Device(simulation) = &mut self.running {
            if keep {
                self.timings.append(simulation.timings());
                self.recording.extend_from_slice(simulation.recording_times());
            }
            simulation.clear_timings();
        }
        let [kept, recent] = &mut self.times;
        kept.extend(recent.drain(..).filter(|_| keep));
        Ok(())
    }

    /// Takes a step alone and returns its time in milliseconds.
    ///
    /// # Errors
    /// As [`Stepper::step`]; [`starlings::Error::NoDevice`] without timestamps.
    pub fn step_ms(&mut self) -> Result<f64> {
        self.step()?;
        self.running.wait()?;
        match &self.running {
            Running::Device(simulation) => {
                let ms = simulation.timings().frame_ms().last().copied();
                Ok(ms.ok_or_else(|| no_timestamps(&self.running.place()))?)
            }
            Running::Cpu(engine) => Ok(engine.times().step.as_secs_f64() * 1e3),
        }
    }

    /// Puts the boids back to `start`.
    pub fn start_over(&mut self, start: &Start<'_>) -> Result<()> {
        match &mut self.running {
            Running::Device(simulation) => simulation.flock_mut().start_from(start)?,
            Running::Cpu(engine) => engine.set_state_at(start.state, start.step),
        }
        Ok(())
    }

    /// The state after the last step.
    pub fn state(&mut self) -> Result<BoidState> {
        self.running.wait()?;
        self.running.state()
    }

    /// Statistics of the kept times: of each pass, of the `frame`, and of what is `unnamed`.
    pub fn statistics(&self) -> Vec<PassStatistics> {
        if let Running::Device(_) = self.running {
            return self.timings.frame_statistics();
        }
        let pass = |name, of: fn(&StepTimes) -> Duration| {
            let ms: Vec<f64> = self.times[0].iter().map(|times| of(times).as_secs_f64() * 1e3).collect();
            let Spread { least, median, p99 } = Spread::of(&ms);
            PassStatistics { name, samples: ms.len(), least_ms: least, median_ms: median, p99_ms: p99 }
        };
        vec![
            pass("count", |times| times.sort.count),
            pass("scan", |times| times.sort.scan),
            pass("scatter", |times| times.sort.scatter),
            pass("steer", |times| times.steer),
            pass("frame", |times| times.step),
            pass("unnamed", |times| {
                let named = [times.sort.count, times.sort.scan, times.sort.scatter, times.steer];
                times.step.saturating_sub(named.into_iter().sum())
            }),
        ]
    }

    /// Median CPU time to record a step, in milliseconds.
    pub fn record_ms(&self) -> Option<f64> {
        let ms: Vec<f64> = self.recording.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        (!ms.is_empty()).then(|| Spread::of(&ms).median)
    }

    /// What steps the flock, in words and for programs.
    pub fn describe(&self) -> (String, Value) {
        let place = self.running.place();
        match &self.running {
            Running::Device(simulation) => {
                let driver = &simulation.flock().device().info().driver;
                (place.clone(), json!({ "device": place, "driver": driver }))
            }
            Running::Cpu(engine) => {
                let (threads, instructions) = (engine.threads(), engine.instructions());
                (format!("{place} with {instructions}"), json!({ "threads": threads, "instructions": instructions }))
            }
        }
    }
}

/// The error for a device that cannot time.
pub fn no_timestamps(device: &str) -> starlings::Error {
    starlings::Error::NoDevice(format!("{device} has no timestamps on its queue"))
}
