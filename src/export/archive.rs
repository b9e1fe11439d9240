//! NumPy archives (`.npz`) of a flock's trajectories.
//!
//! An archive is a zip file of arrays, stored without compression. Zip entries are written one after the
//! other, and both positions and velocities grow with each sample: positions go straight to the archive,
//! velocities to a nameless file beside it until the end. Samples are not kept in memory.

use super::file::{OutputFile, output};
use super::npz::{BUFFER, Npz};
use crate::error::{Error, Result};
use crate::flock::{Settings, targets};
use glam::Vec3;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

/// An archive being written. `K` samples of `N` boids become the arrays
///
/// | name | type | shape | |
/// |---|---|---|---|
/// | `id` | `u4` | `N` | identities, `0..N` |
/// | `step` | `u4` | `K` | steps since the start at each sample |
/// | `target` | `f4` | `K`, targets, 3 | places of the targets that the next step steers by, world units |
/// | `parameters` | `U` | scalar | the settings as JSON |
/// | `position` | `f4` | `K`, `N`, 3 | world units |
/// | `velocity` | `f4` | `K`, `N`, 3 | world units per second |
///
/// Dropping it unfinished leaves no file.
pub struct FlockArchive {
    npz: Npz,
    velocities: BufWriter<File>,
    boids: u32,
    samples: u64,
    written: u64,
    out: OutputFile,
}

impl FlockArchive {
    /// Begins an archive of a flock of `settings` in `out`, with one sample for each entry of `steps`.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full.
    pub fn new(
        mut out: OutputFile,
        settings: &Settings,
        steps: &[u32],
        parameters: &Map<String, Value>,
    ) -> Result<Self> {
        let path = out.path().to_owned();
        let fail = |e: io::Error| output(&path, e);
        let file = out.file().try_clone().map_err(fail)?;
        let velocities = tempfile::tempfile_in(out.folder()).map_err(fail)?;
        let mut archive = FlockArchive {
            npz: Npz::new(file),
            velocities: BufWriter::with_capacity(BUFFER, velocities),
            boids: settings.boids,
            samples: steps.len() as u64,
            written: 0,
            out,
        };
        archive.begin(settings, steps, parameters).map_err(fail)?;
        Ok(archive)
    }

    /// Writes all that is known before the first sample, and opens the array of positions.
    fn begin(&mut self, settings: &Settings, steps: &[u32], parameters: &Map<String, Value>) -> io::Result<()> {
        let ids: Vec<u32> = (0..self.boids).collect();
        self.npz.array::<u32>("id", &[self.boids.into()])?;
        self.npz.write_all(bytemuck::cast_slice(&ids))?;
        self.npz.array::<u32>("step", &[self.samples])?;
        self.npz.write_all(bytemuck::cast_slice(steps))?;
        self.npz.array::<f32>("target", &[self.samples, settings.targets.into(), 3])?;
        for &step in steps {
            for place in &targets::at_step(settings, step)[..settings.targets as usize] {
                self.npz.write_all(bytemuck::cast_slice(&place[..3]))?;
            }
        }
        self.npz.text("parameters", &Value::Object(parameters.clone()).to_string())?;
        self.npz.array::<f32>("position", &self.sample_shape())
    }

    /// Adds the next sample; entry `i` of both lists belongs to boid `i`.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full.
    ///
    /// # Panics
    /// When a list has not one entry for each boid, or when all samples are written already.
    pub fn push(&mut self, position: &[Vec3], velocity: &[Vec3]) -> Result<()> {
        assert!(self.written < self.samples, "{} samples were announced", self.samples);
        for list in [position, velocity] {
            assert_eq!(list.len(), self.boids as usize, "one entry for each boid");
        }
        self.written += 1;
        let result = self
            .npz
            .write_all(bytemuck::cast_slice(position))
            .and_then(|()| self.velocities.write_all(bytemuck::cast_slice(velocity)));
        result.map_err(|e| self.fail(e))
    }

    /// Completes the archive and gives it its name. Returns its length in bytes.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full.
    ///
    /// # Panics
    /// When samples are missing.
    pub fn finish(mut self) -> Result<u64> {
        assert_eq!(self.written, self.samples, "every sample that was announced");
        if let Err(e) = self.append_velocities() {
            return Err(self.fail(e));
        }
        let path = self.out.path().to_owned();
        let fail = |e: io::Error| output(&path, e);
        let FlockArchive { npz, out, .. } = self;
        npz.finish().map_err(fail)?;
        Ok(out.commit()?.bytes)
    }

    fn append_velocities(&mut self) -> io::Result<()> {
        self.npz.array::<f32>("velocity", &self.sample_shape())?;
        self.velocities.flush()?;
        let file = self.velocities.get_mut();
        file.rewind()?;
        io::copy(file, &mut self.npz)?;
        Ok(())
    }

    fn sample_shape(&self) -> [u64; 3] {
        [self.samples, self.boids.into(), 3]
    }

    fn fail(&self, error: io::Error) -> Error {
        output(self.out.path(), error)
    }
}
