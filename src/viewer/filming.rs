//! A recording of the window: the flock as it is shown, without panels, one frame for each sixtieth of a second of the flock's time.
//! It keeps the size that it began with, whatever becomes of the window's.

use super::running::Running;
use super::session::Session;
use crate::error::{Error, Result};
use crate::export::{Existing, VideoFile, VideoFormat};
use crate::offscreen::{Shot, Studio};
use crate::render::Camera;
use crate::vk::RecordOptions;
use std::path::PathBuf;

/// Frames of the video in a second of the flock's time, if its steps are as long or shorter.
const RATE: f32 = 60.0;

/// A recording that was begun.
pub struct Film {
    video: VideoFile,
    /// Where it will be, if nothing else takes the name.
    path: PathBuf,
    size: (u32, u32),
    /// What draws the scene of this number.
    studio: Option<(u64, Studio)>,
    /// Steps from one frame to the next.
    stride: u32,
    /// The step of the next frame.
    next: u32,
    frames: u32,
    /// Seconds of a frame.
    seconds: f32,
}

impl Film {
    /// Begins a recording of what `session` shows: MP4, or Y4M where there is no `ffmpeg`.
    fn begin(session: &Session, time_step: f32) -> Result<Option<Film>> {
        let Some((width, height)) = session.size() else { return Ok(None) };
        // Colors of MP4 have half the resolution.
        let size = ((width & !1).max(2), (height & !1).max(2));
        let step = session.stepping.flock.step();
        let stride = ((1.0 / RATE / time_step).round() as u32).max(1);
        let seconds = stride as f32 * time_step;
        let path = PathBuf::from(format!("starlings-{step}.mp4"));
        let (video, path) = VideoFile::open(&path, Existing::Number, VideoFormat::Mp4, size, seconds)?;
        Ok(Some(Film { video, path, size, studio: None, stride, next: step, frames: 0, seconds }))
    }

    /// Steps that the window takes in a frame, while it records.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// Adds what `session` shows from `camera`, if its flock has come to the next frame. Waits for the device.
    fn shoot(&mut self, session: &mut Session, camera: Camera) -> Result<()> {
        let step = session.stepping.flock.step();
        // A flock that was started over is before.
        let due = step >= self.next || step + self.stride < self.next;
        let Some(drawing) = session.drawing.as_ref().filter(|_| due) else { return Ok(()) };
        // Trails go on in the window's scene: a studio has them as they were when it was made.
        let trailing = drawing.scene.trails().is_some();
        let scene = session.scenes;
        let flock = &mut session.stepping.flock;
        let studio = match self.studio.take().filter(|(of, _)| *of == scene && !trailing) {
            Some((_, studio)) => studio,
            None => Studio::like(&session.device, flock, &drawing.scene, self.size.0, self.size.1)?,
        };
        let (_, studio) = self.studio.insert((scene, studio));
        // As the window shows them.
        studio.set_color_range(drawing.scene.color_range());
        let (pixels, _) = studio.draw(flock, &Shot { camera, steps: 0, options: RecordOptions::default() })?;
        self.video.push(&pixels)?;
        self.next = step + self.stride;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file. Returns what to say.
    fn finish(self) -> Result<String> {
        let seconds = self.frames as f32 * self.seconds;
        if self.frames == 0 {
            return Ok("nothing was recorded".into());
        }
        let path = self.video.finish()?;
        Ok(format!("wrote {}: {} frames, {seconds:.1} s of the flock's time", path.display(), self.frames))
    }
}

impl Running {
    /// Begins a recording, or ends it.
    pub(super) fn toggle_film(&mut self) {
        if self.film.is_some() {
            let ended = self.end_film();
            return self.tell(ended);
        }
        match Film::begin(&self.session, self.options.settings.time_step) {
            Ok(None) => {}
            Ok(Some(film)) => {
                let rate = (1.0 / film.seconds).round();
                let (width, height) = film.size;
                self.announce(format!(
                    "recording to {}: {width}x{height}, {rate} frames a second (F9 ends it)",
                    film.path.display()
                ));
                self.film = Some(film);
            }
            Err(error) => self.announce(error.to_string()),
        }
    }

    /// Completes a recording, if there is one. Returns what to say.
    pub fn end_film(&mut self) -> Result<Option<String>> {
        self.film.take().map(Film::finish).transpose()
    }

    /// Adds the frame that was shown to the recording. One that cannot go on is given up, and the window goes on.
    pub(super) fn shoot(&mut self, camera: Camera) -> Result<()> {
        let Some(film) = &mut self.film else { return Ok(()) };
        match film.shoot(&mut self.session, camera) {
            Err(
                error @ (Error::Output { .. }
                | Error::Setting { .. }
                | Error::TooLarge { .. }
                | Error::Allocation { .. }),
            ) => {
                self.film = None;
                self.announce(format!("the recording has ended: {error}"));
                Ok(())
            }
            other => other,
        }
    }
}
