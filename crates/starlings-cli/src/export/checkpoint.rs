//! Checkpoints: the whole state of a flock in a NumPy archive, from which another run goes on.

mod read;

use super::file::{OutputFile, Written};
use super::npz::Npz;
use super::parameters;
use crate::error::Result;
use serde_json::Value;
use starlings::flock::{BoidState, Settings};
use std::fs::File;
use std::io;

/// The version of the format. A change that an older program would misread takes the next number.
const VERSION: u32 = 1;

/// A flock after some steps. docs/files.md has the arrays of its archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The state, in the order of storage.
    pub state: BoidState,
    /// Steps since the start.
    pub step: u32,
    /// Whether the settings alone lead to this state, in so many steps.
    pub replayable: bool,
    /// Settings, look and camera as the text of a config file.
    pub config: String,
}

impl Checkpoint {
    /// Writes the checkpoint of a flock of `settings` to `out`, and gives it its name.
    pub fn write(&self, out: OutputFile, settings: &Settings) -> Result<Written> {
        out.fill(|file| self.fill(file.try_clone()?, settings))
    }

    fn fill(&self, file: File, settings: &Settings) -> io::Result<()> {
        let boids = self.state.len() as u64;
        let mut npz = Npz::new(file);
        npz.number("checkpoint", VERSION)?;
        npz.number("step", self.step)?;
        npz.number("replayable", self.replayable.into())?;
        npz.text("config", &self.config)?;
        npz.text("parameters", &Value::Object(parameters(settings)).to_string())?;
        npz.list::<u32>("id", &[boids], &self.state.id)?;
        for (name, list) in [("position", &self.state.position), ("velocity_slot", &self.state.velocity)] {
            npz.list::<f32>(name, &[boids, 3], list)?;
        }
        npz.finish()
    }
}
