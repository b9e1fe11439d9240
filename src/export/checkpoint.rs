//! Checkpoints: the whole state of a flock in a NumPy archive, from which another run goes on.

mod read;

use super::file::{OutputFile, Written, output};
use super::npz::Npz;
use super::parameters;
use crate::error::Result;
use crate::flock::{BoidState, Settings};
use serde_json::Value;
use std::io::{self, Write};

/// The version of the format. A change that an older program would misread takes the next number.
const VERSION: u32 = 1;

/// A flock after some steps. Its archive of `N` boids has the arrays
///
/// | name | type | shape | |
/// |---|---|---|---|
/// | `checkpoint` | `u4` | scalar | the version of the format, 1 |
/// | `step` | `u4` | scalar | steps since the start |
/// | `replayable` | `u4` | scalar | 1 if the settings lead from the start to this state in `step` steps, otherwise 0 |
/// | `config` | `U` | scalar | settings, look and camera as the text of a config file |
/// | `parameters` | `U` | scalar | the settings as JSON, as in a [`FlockArchive`](super::FlockArchive) |
/// | `id` | `u4` | `N` | identities, in the order of storage: some searches add up neighbors in it |
/// | `position` | `f4` | `N`, 3 | in that order, world units |
/// | `velocity_slot` | `f4` | `N`, 3 | velocities in world units per second, or unit headings for a law with a constant speed |
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
    ///
    /// # Errors
    /// [`crate::Error::Output`] when the disk is full.
    pub fn write(&self, mut out: OutputFile, settings: &Settings) -> Result<Written> {
        let path = out.path().to_owned();
        self.fill(&mut out, settings).map_err(|error| output(&path, error))?;
        out.commit()
    }

    fn fill(&self, out: &mut OutputFile, settings: &Settings) -> io::Result<()> {
        let boids = self.state.len() as u64;
        let mut npz = Npz::new(out.file().try_clone()?);
        npz.number("checkpoint", VERSION)?;
        npz.number("step", self.step)?;
        npz.number("replayable", self.replayable.into())?;
        npz.text("config", &self.config)?;
        npz.text("parameters", &Value::Object(parameters(settings)).to_string())?;
        npz.array::<u32>("id", &[boids])?;
        npz.write_all(bytemuck::cast_slice(&self.state.id))?;
        for (name, list) in [("position", &self.state.position), ("velocity_slot", &self.state.velocity)] {
            npz.array::<f32>(name, &[boids, 3])?;
            npz.write_all(bytemuck::cast_slice(list))?;
        }
        npz.finish()
    }
}
