//! Frames that were drawn, on their way into PNG files.

use super::target::file_name;
use super::{Samples, Shots};
use crate::cli::asked::Asked;
use crate::cli::config;
use crate::cli::failure::Failure;
use crate::cli::origin::Origin;
use crate::cli::viewpoint::Viewpoint;
use rayon::prelude::*;
use starlings::export::{self, Memory, OutputFile, OutputFolder, write_png};
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
    pub asked: &'a Asked,
    pub origin: &'a Origin,
    pub shots: &'a Shots,
}

impl Writer<'_> {
    /// Writes `frame` into `file`. Returns the name that the file has got.
    pub fn write(&self, mut file: OutputFile, frame: &Frame) -> Result<PathBuf, Failure> {
        let (settings, Shots { look, samples, size, .. }) = (&self.asked.settings, self.shots);
        let comment = export::parameters_of_picture(settings, frame.color_range);
        let config = config::text(settings, look, &Viewpoint::of(&frame.camera));
        let step = self.origin.replayable().then_some(frame.step);
        let memory = Memory { config, step, samples: (*samples != Samples::default()).then(|| samples.count()) };
        write_png(&mut file, *size, &frame.pixels, &comment, Some(&memory))?;
        Ok(file.commit()?.path)
    }

    /// Writes `frames` into `folder`, compressed on all cores.
    pub fn write_all(&self, folder: &OutputFolder, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        let file = |frame: &Frame| folder.file(&file_name(frame.step - self.origin.first()));
        frames.par_drain(..).try_for_each(|frame| self.write(file(&frame)?, &frame).map(drop))
    }

    /// Frames that are to be written together.
    pub fn together(&self) -> usize {
        let (width, height) = self.shots.size;
        (MOST_BYTES / (4 * width as usize * height as usize)).clamp(1, rayon::current_num_threads())
    }
}
