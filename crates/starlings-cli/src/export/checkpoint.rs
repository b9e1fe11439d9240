//! Checkpoints: the whole state of a flock in a NumPy archive, from which another run goes on.

use super::file::{OutputFile, Written};
use super::npz::Npz;
use super::npz::read::{Archive, Reason};
use super::parameters;
use crate::error::Result;
use glam::Vec3;
use serde_json::Value;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS};
use starlings::flock::{BoidState, Settings};
use std::fs::File;
use std::io;
use std::path::Path;

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

    /// Reads the checkpoint at `path`. Whether its config suits its boids is up to the caller.
    pub fn read(path: &Path) -> Result<Checkpoint, Reason> {
        let mut archive = Archive::open(path, "checkpoint")?;
        archive.check_version("checkpoint", VERSION)?;
        let (step, replayable) = (archive.number("step")?, archive.number("replayable")? != 0);
        let config = archive.text("config")?;
        let id = archive.list("id", "<u4", &[None], MAX_BOIDS.into(), |[id]| id)?;
        check_permutation(&id)?;
        let boids = id.len() as u64;
        let mut vectors = |name| {
            let vector = |numbers: [u32; 3]| Vec3::from(numbers.map(f32::from_bits));
            let vectors = archive.list(name, "<f4", &[Some(boids), Some(3)], boids, vector)?;
            match vectors.iter().find(|vector| !vector.is_finite()) {
                Some(vector) => Err(format!("its array '{name}' has {vector}, which is no place or velocity")),
                None => Ok(vectors),
            }
        };
        let (position, velocity) = (vectors("position")?, vectors("velocity_slot")?);
        // As fast as a flock may start: a step from a faster one leads beyond all numbers.
        if let Some(fast) = velocity.iter().find(|velocity| velocity.length() > LENGTHS.1) {
            let most = LENGTHS.1;
            return Err(format!(
                "its array 'velocity_slot' has {fast}, which is faster than {most} world units per second"
            ));
        }
        Ok(Checkpoint { state: BoidState { position, velocity, id }, step, replayable, config })
    }
}

/// Every identity from 0 on is there once.
fn check_permutation(ids: &[u32]) -> Result<(), Reason> {
    let mut seen = vec![false; ids.len()];
    for &id in ids {
        match seen.get_mut(id as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(format!("its array 'id' has {id} twice")),
            None => return Err(format!("its array 'id' has {id}, and {} boids have lower ones", ids.len())),
        }
    }
    Ok(())
}
