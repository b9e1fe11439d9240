//! Trajectories as text: extended XYZ for OVITO and ASE, comma-separated values for R, pandas and trackpy.

use crate::error::Result;
use crate::export::{OutputFile, TrajectoryFile, words};
use glam::Vec3;
use starlings::flock::{Settings, Walls};
use std::fs::File;
use std::io::{self, BufWriter, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// Extended XYZ, one block for each sample.
    Xyz,
    /// Columns `frame,time,id,x,y,z,vx,vy,vz` and, in a flock of several, `kind`; a line for each boid at each sample.
    Csv,
}

/// A text being written.
pub struct TextFile {
    out: OutputFile,
    lines: BufWriter<File>,
    format: TextFormat,
    settings: Settings,
    samples: usize,
}

impl TextFile {
    /// Begins the trajectory of a flock of `settings` in `out`.
    pub fn new(mut out: OutputFile, settings: &Settings, format: TextFormat) -> Result<Self> {
        let file = out.file().try_clone().map_err(|error| failed(&out, error))?;
        let mut lines = BufWriter::with_capacity(1 << 20, file);
        if format == TextFormat::Csv {
            let kind = if settings.kinds.is_empty() { "" } else { ",kind" };
            writeln!(lines, "frame,time,id,x,y,z,vx,vy,vz{kind}").map_err(|error| failed(&out, error))?;
        }
        Ok(TextFile { out, lines, format, settings: settings.clone(), samples: 0 })
    }

    fn write(&mut self, step: u32, position: &[Vec3], velocity: &[Vec3]) -> io::Result<()> {
        let time = f64::from(step) * f64::from(self.settings.time_step);
        let has_kinds = !self.settings.kinds.is_empty();
        let out = &mut self.lines;
        if self.format == TextFormat::Xyz {
            let edges = 2.0 * self.settings.world.half_size;
            let corner = self.settings.world.center - self.settings.world.half_size;
            let wraps = |edge: f32| if self.settings.walls == Walls::Wrap && edge > 0.0 { 'T' } else { 'F' };
            // A plane's box has no height, and a lattice needs one.
            let [x, y, z] = edges.to_array().map(|edge| if edge > 0.0 { edge } else { 1.0 });
            writeln!(out, "{}", position.len())?;
            writeln!(
                out,
                "Lattice=\"{x} 0 0 0 {y} 0 0 0 {z}\" Origin=\"{} {} {}\" pbc=\"{} {} {}\" \
                    Properties=id:I:1:pos:R:3:velo:R:3{} Time={time} Step={step}",
                corner.x,
                corner.y,
                corner.z,
                wraps(edges.x),
                wraps(edges.y),
                wraps(edges.z),
                if has_kinds { ":kind:I:1" } else { "" }
            )?;
        }
        let between = if self.format == TextFormat::Xyz { ' ' } else { ',' };
        for (id, (p, v)) in (0u32..).zip(position.iter().zip(velocity)) {
            match self.format {
                TextFormat::Xyz => write!(out, "{id} {} {} {} {} {} {}", p.x, p.y, p.z, v.x, v.y, v.z)?,
                TextFormat::Csv => write!(out, "{step},{time},{id},{},{},{},{},{},{}", p.x, p.y, p.z, v.x, v.y, v.z)?,
            }
            if has_kinds {
                write!(out, "{between}{}", self.settings.kind_of(id))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

impl TrajectoryFile for TextFile {
    fn push(&mut self, step: u32, position: &[Vec3], velocity: &[Vec3]) -> Result<()> {
        self.samples += 1;
        self.write(step, position, velocity).map_err(|error| failed(&self.out, error))
    }

    fn samples(&self) -> usize {
        self.samples
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        self.lines.flush().map_err(|error| failed(&self.out, error))?;
        Ok(self.out.commit()?.bytes)
    }
}

fn failed(out: &OutputFile, error: io::Error) -> crate::Error {
    crate::Error::Output { path: out.path().to_owned(), reason: words(error) }
}
