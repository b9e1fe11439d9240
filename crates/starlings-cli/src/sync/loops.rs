//! The loops of the program, watched: a few frames of each run as a user would have them, and all that is submitted is
//! judged with what is in flight, and what the host does.

use crate::viewer::{self, ViewerOptions};
use crate::{Error, Result};
use barrier_proof::Seen;
use starlings::flock::{Observation, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::look::Shape;
use starlings::render::{Camera, Look};
use starlings::simulation::Simulation;
use starlings::vk::{Device, DeviceOptions, Fault, Instance, RecordOptions};
use std::sync::Arc;

/// A loop, by the command that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Pictures without a window.
    Render,
    /// Steps without pictures.
    Simulate,
    /// A window that nobody sees.
    View,
}

/// A loop that was watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The command that has it.
    pub command: &'static str,
    /// What was judged of it; nothing where the driver cannot run it.
    pub seen: Option<Seen>,
    /// What is wrong, if something is.
    pub finding: Option<String>,
}

/// Boids of the flock, and pixels of its picture.
const BOIDS: u32 = 500;
const SIZE: (u32, u32) = (96, 64);

impl Loop {
    /// All of them.
    pub const ALL: [Loop; 3] = [Loop::Render, Loop::Simulate, Loop::View];

    /// Runs some of its frames on a device like this that is watched. `planted` are faults in all of them, for tests.
    ///
    /// # Errors
    /// What the loop fails at, but for what is found.
    pub fn watch(self, instance: &Arc<Instance>, gpu: Option<&str>, planted: &[Fault]) -> Result<Watched> {
        let settings = Settings::preset("reynolds")?.with_boids(BOIDS);
        let open = || {
            let options = DeviceOptions { wanted: gpu, watch: Some(planted), ..DeviceOptions::default() };
            Device::with_options(instance, &options)
        };
        let (command, seen) = match self {
            Loop::Render => ("render", open().map_err(Error::from).and_then(|device| rendered(&device, &settings))),
            Loop::Simulate => {
                ("simulate", open().map_err(Error::from).and_then(|device| simulated(&device, &settings)))
            }
            Loop::View => {
                let options = ViewerOptions {
                    gpu: gpu.map(str::to_owned),
                    watch: Some(planted.to_vec()),
                    headless: true,
                    exit_after: Some(6),
                    look: look(&settings),
                    width: SIZE.0,
                    height: SIZE.1,
                    ..ViewerOptions::new(settings)
                };
                ("view", viewer::run(options).map(|report| report.watched.unwrap_or_default()))
            }
        };
        match seen {
            Ok(seen) => Ok(Watched { command, seen: Some(seen), finding: None }),
            Err(Error::Engine(error @ starlings::Error::Unsynchronized(_))) => {
                Ok(Watched { command, seen: None, finding: Some(format!("`{command}`: {error}")) })
            }
            Err(Error::Engine(starlings::Error::NoDevice(_)) | Error::NoDisplay(_)) if self == Loop::View => {
                Ok(Watched { command, seen: None, finding: None })
            }
            Err(error) => Err(error),
        }
    }
}

/// Fish, whose texture is made in the first frame.
fn look(settings: &Settings) -> Look {
    Look { shape: Shape::Fish, ..Look::of(settings) }
}

fn rendered(device: &Arc<Device>, settings: &Settings) -> Result<Seen> {
    let mut offscreen = Offscreen::with_look(device, settings, look(settings), SIZE.0, SIZE.1)?;
    let camera = Camera::of(settings, SIZE.0 as f32 / SIZE.1 as f32);
    for steps in [0, 2, 1] {
        offscreen.draw(&Shot { camera, steps, options: RecordOptions::default() })?;
    }
    finished(device)
}

fn simulated(device: &Arc<Device>, settings: &Settings) -> Result<Seen> {
    let mut simulation = Simulation::new(device, settings)?.with_steps_per_submission(2);
    simulation.advance(7)?;
    simulation.advance_observed(3, Observation::Order)?;
    simulation.wait()?;
    simulation.order();
    simulation.flock().state()?;
    finished(device)
}

fn finished(device: &Arc<Device>) -> Result<Seen> {
    device.verdict()?;
    Ok(device.watch().seen())
}
