//! NumPy archives (`.npz`) of a flock's trajectories.
//!
//! An archive is a zip file of arrays, stored without compression. An array begins with its shape, and how many samples
//! there will be is known only at the end, because a run may be interrupted: until then positions and velocities go to
//! a nameless file each, beside the archive. Samples are not kept in memory.

use super::file::{OutputFile, output};
use super::npz::{BUFFER, Npz};
use crate::error::Result;
use crate::interrupt;
use glam::Vec3;
use serde_json::{Map, Value};
use starlings::flock::states::Behavior;
use starlings::flock::{Settings, targets};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

/// A trajectory being written. Dropping it unfinished leaves no file.
pub trait TrajectoryFile {
    /// Adds the sample after `step` steps; entry `i` of both lists belongs to boid `i`. Places are in world units,
    /// velocities in world units per second.
    ///
    /// # Panics
    /// When a list of an archive has not one entry for each boid.
    fn push(&mut self, step: u32, position: &[Vec3], velocity: &[Vec3]) -> Result<()>;

    /// Adds the states of all boids, by identity, to the sample that was pushed last, where the format has them. To be
    /// called for each sample of a flock with states, and for no other.
    ///
    /// # Panics
    /// When there is not one for each boid of a flock with states.
    fn push_states(&mut self, _behaviors: &[Behavior]) -> Result<()> {
        Ok(())
    }

    /// Samples so far.
    fn samples(&self) -> usize;

    /// Writes what is still to be written, and gives the file its name. Returns its length in bytes.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// An archive being written; `starlings simulate --help` lists its arrays.
pub struct FlockArchive {
    settings: Settings,
    parameters: String,
    steps: Vec<u32>,
    positions: BufWriter<File>,
    velocities: BufWriter<File>,
    /// Of a flock with states.
    states: Option<BufWriter<File>>,
    out: OutputFile,
}

impl FlockArchive {
    /// Begins an archive of a flock of `settings` in `out`.
    pub fn new(out: OutputFile, settings: &Settings, parameters: &Map<String, Value>) -> Result<Self> {
        let nameless = || tempfile::tempfile_in(out.folder()).map_err(|e| output(out.path(), e));
        let begun = |file| BufWriter::with_capacity(BUFFER, file);
        let [positions, velocities] = [begun(nameless()?), begun(nameless()?)];
        let states = settings.states.is_on().then(nameless).transpose()?.map(begun);
        let parameters = Value::Object(parameters.clone()).to_string();
        Ok(FlockArchive {
            settings: settings.clone(),
            parameters,
            steps: Vec::new(),
            positions,
            velocities,
            states,
            out,
        })
    }

    fn write(&mut self) -> io::Result<()> {
        let (boids, samples) = (u64::from(self.settings.boids), self.steps.len() as u64);
        let mut npz = Npz::new(self.out.file().try_clone()?);
        npz.list::<u32>("id", &[boids], &(0..self.settings.boids).collect::<Vec<u32>>())?;
        npz.list::<u32>("step", &[samples], &self.steps)?;
        if !self.settings.kinds.is_empty() {
            let kinds = (0..self.settings.boids).map(|id| self.settings.kind_of(id) as u32);
            npz.list::<u32>("kind", &[boids], &kinds.collect::<Vec<_>>())?;
        }
        npz.array::<f32>("target", &[samples, self.settings.targets.into(), 3])?;
        for &step in &self.steps {
            for place in &targets::at_step(&self.settings, step)[..self.settings.targets as usize] {
                npz.write_all(bytemuck::cast_slice(&place[..3]))?;
            }
        }
        npz.text("parameters", &self.parameters)?;
        for (name, elements) in [("position", &mut self.positions), ("velocity", &mut self.velocities)] {
            elements.flush()?;
            elements.get_mut().rewind()?;
            npz.array::<f32>(name, &[samples, boids, 3])?;
            io::copy(elements.get_mut(), &mut npz)?;
        }
        if let Some(states) = &mut self.states {
            states.flush()?;
            states.get_mut().rewind()?;
            npz.array::<u32>("state", &[samples, boids])?;
            io::copy(states.get_mut(), &mut npz)?;
        }
        npz.finish()
    }
}

impl TrajectoryFile for FlockArchive {
    fn push(&mut self, step: u32, position: &[Vec3], velocity: &[Vec3]) -> Result<()> {
        for list in [position, velocity] {
            assert_eq!(list.len(), self.settings.boids as usize, "one entry for each boid");
        }
        self.steps.push(step);
        let (positions, velocities) = (&mut self.positions, &mut self.velocities);
        let result = positions
            .write_all(bytemuck::cast_slice(position))
            .and_then(|()| velocities.write_all(bytemuck::cast_slice(velocity)));
        result.map_err(|e| output(self.out.path(), e))
    }

    fn push_states(&mut self, behaviors: &[Behavior]) -> Result<()> {
        assert_eq!(behaviors.len(), self.settings.boids as usize, "one entry for each boid");
        let states: Vec<u32> = behaviors.iter().map(|behavior| behavior.state()).collect();
        let file = self.states.as_mut().expect("a flock with states");
        file.write_all(bytemuck::cast_slice(&states)).map_err(|e| output(self.out.path(), e))
    }

    fn samples(&self) -> usize {
        self.steps.len()
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        let _held = interrupt::hold();
        let written = self.write();
        written.map_err(|e| output(self.out.path(), e))?;
        Ok(self.out.commit()?.bytes)
    }
}
