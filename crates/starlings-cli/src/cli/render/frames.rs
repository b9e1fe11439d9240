//! Frames that were drawn, on their way into PNG files.

use super::target::file_name;
use super::{Samples, Shots};
use crate::Result;
use crate::cli::flight;
use crate::cli::origin::Origin;
use crate::cli::viewpoint::Viewpoint;
use crate::export::{self, Memory, OutputFile, OutputFolder, write_png};
use crate::flight::Flight;
use rayon::prelude::*;
use starlings::render::Camera;
use std::path::PathBuf;

/// Bytes of pixels of frames that wait to be written together, at most.
const MOST_BYTES: usize = 512 << 20;

/// A frame and what its file tells of it.
pub struct Frame {
    /// Steps that the flock has taken.
    pub step: u32,
    /// Four sRGB bytes a pixel, rows from the top.
    pub pixels: Vec<u8>,
    pub camera: Camera,
    /// The values of the first and of the last color, if colors stand for amounts.
    pub color_range: Option<[f32; 2]>,
}

/// Writes the frames of a run.
pub struct Writer<'a> {
    pub flight: &'a Flight,
    pub origin: &'a Origin,
    pub shots: &'a Shots,
}

impl Writer<'_> {
    /// Writes `frame` into `file`. Returns the name that the file has got.
    pub fn write(&self, mut file: OutputFile, frame: &Frame) -> Result<PathBuf> {
        let Shots { samples, size, .. } = self.shots;
        let comment = export::parameters_of_picture(self.flight.up_to(frame.step).last(), frame.color_range);
        let config = self.config(&frame.camera, frame.step, false);
        let step = self.origin.replayable().then_some(frame.step);
        let memory = Memory { config, step, samples: (*samples != Samples::default()).then(|| samples.count()) };
        write_png(&mut file, *size, &frame.pixels, &comment, Some(&memory))?;
        Ok(file.commit()?.path)
    }

    /// A config file of the flock after `step` steps, seen by `camera`, with its flight; without changes, only if that
    /// is `wanted`.
    pub fn config(&self, camera: &Camera, step: u32, wanted: bool) -> String {
        let look = &self.shots.look;
        flight::config(Some((self.flight, step)), self.flight.last(), (look, &Viewpoint::of(camera)), wanted)
    }

    /// Writes `frames` into `folder`, compressed on all cores.
    pub fn write_all(&self, folder: &OutputFolder, frames: &mut Vec<Frame>) -> Result<()> {
        let file = |frame: &Frame| folder.file(&file_name(frame.step - self.origin.first()));
        frames.par_drain(..).try_for_each(|frame| self.write(file(&frame)?, &frame).map(drop))
    }

    /// Frames that are to be written together.
    pub fn together(&self) -> usize {
        let (width, height) = self.shots.size;
        (MOST_BYTES / (4 * width as usize * height as usize)).clamp(1, rayon::current_num_threads())
    }
}
