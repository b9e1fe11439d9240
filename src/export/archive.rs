//! NumPy archives (`.npz`) of a flock's trajectories.
//!
//! An archive is a zip file of arrays, stored without compression. Zip entries are written one after the
//! other, and both positions and velocities grow with each sample: positions go straight to the archive,
//! velocities to a nameless file beside it until the end. Samples are not kept in memory.

use super::file::{OutputFile, output};
use crate::error::{Error, Result};
use crate::flock::{Settings, targets};
use glam::Vec3;
use npyz::{DType, TypeStr, WriterBuilder};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::rc::Rc;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Bytes from which a zip entry needs 64-bit sizes. Lower than the true limit of 4 GiB: headers count too.
const LARGE_ENTRY: u64 = 4_000_000_000;

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

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
    // Before `zip`, which would otherwise complete the archive when it is dropped.
    give_up: GiveUp,
    zip: ZipWriter<BufWriter<Target>>,
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
        let give_up = GiveUp::default();
        let target = Target { file, given_up: give_up.0.clone() };
        let mut archive = FlockArchive {
            give_up,
            zip: ZipWriter::new(BufWriter::with_capacity(BUFFER, target)),
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
        self.array::<u32>("id", &[self.boids.into()], 4)?;
        self.zip.write_all(bytemuck::cast_slice(&ids))?;
        self.array::<u32>("step", &[self.samples], 4)?;
        self.zip.write_all(bytemuck::cast_slice(steps))?;
        self.array::<f32>("target", &[self.samples, settings.targets.into(), 3], 4)?;
        for &step in steps {
            for place in &targets::at_step(settings, step)[..settings.targets as usize] {
                self.zip.write_all(bytemuck::cast_slice(&place[..3]))?;
            }
        }
        // NumPy's strings are arrays of code points.
        let text: Vec<u32> = Value::Object(parameters.clone()).to_string().chars().map(u32::from).collect();
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let string: TypeStr = format!("{order}U{}", text.len()).parse().map_err(io::Error::other)?;
        self.start("parameters", 4 * text.len() as u64)?;
        npyz::WriteOptions::<str>::new()
            .dtype(DType::Plain(string))
            .shape(&[])
            .writer(&mut self.zip)
            .write_header_only()?;
        self.zip.write_all(bytemuck::cast_slice(&text))?;
        self.array::<f32>("position", &self.sample_shape(), 4)
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
            .zip
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
        let FlockArchive { give_up, zip, out, .. } = self;
        let writer = zip.finish().map_err(|e| fail(e.into()))?;
        writer.into_inner().map_err(|e| fail(e.into_error()))?;
        drop(give_up);
        Ok(out.commit()?.bytes)
    }

    fn append_velocities(&mut self) -> io::Result<()> {
        self.array::<f32>("velocity", &self.sample_shape(), 4)?;
        self.velocities.flush()?;
        let file = self.velocities.get_mut();
        file.rewind()?;
        io::copy(file, &mut self.zip)?;
        Ok(())
    }

    fn sample_shape(&self) -> [u64; 3] {
        [self.samples, self.boids.into(), 3]
    }

    /// Opens the array `name`; its elements are to be written next.
    fn array<T: npyz::AutoSerialize>(&mut self, name: &str, shape: &[u64], element: u64) -> io::Result<()> {
        self.start(name, element * shape.iter().product::<u64>())?;
        npyz::WriteOptions::<T>::new().default_dtype().shape(shape).writer(&mut self.zip).write_header_only()?;
        Ok(())
    }

    fn start(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(bytes > LARGE_ENTRY);
        Ok(self.zip.start_file(npyz::npz::file_name_from_array_name(name), options)?)
    }

    fn fail(&self, error: io::Error) -> Error {
        output(self.out.path(), error)
    }
}

/// Makes the [`Target`] discard writes after this is dropped.
#[derive(Default)]
struct GiveUp(Rc<Cell<bool>>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

/// The file of the zip writer, which on drop completes the archive and prints errors to stderr. After a failed write, or once
/// the archive is abandoned, writes are discarded.
struct Target {
    file: File,
    given_up: Rc<Cell<bool>>,
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.given_up.get() {
            return Ok(bytes.len());
        }
        let written = self.file.write(bytes);
        self.given_up.set(written.as_ref().is_err_and(|e| e.kind() != io::ErrorKind::Interrupted));
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
