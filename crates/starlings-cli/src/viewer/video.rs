//! A recording of the window: the flock as it is shown, without panels, one frame for each sixtieth of a second of the
//! flock's time. It keeps the size that it began with, whatever becomes of the window's.

use super::session::Session;
use crate::error::Result;
use crate::export::{Existing, VideoFile, VideoFormat};
use starlings::offscreen::{Shot, Studio};
use starlings::render::Camera;
use starlings::vk::RecordOptions;
use std::path::{Path, PathBuf};

/// Frames of the video in a second of the flock's time, if its steps are as long or shorter.
const RATE: f32 = 60.0;

pub struct VideoRecording {
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

impl VideoRecording {
    /// Begins a recording of what `session` shows: MP4, or Y4M where there is no `ffmpeg`.
    pub fn begin(session: &Session) -> Result<Option<VideoRecording>> {
        let Some((width, height)) = session.display.size() else { return Ok(None) };
        // Colors of MP4 have half the resolution.
        let size = ((width & !1).max(2), (height & !1).max(2));
        let (step, time_step) = (session.flock.on_device.step(), session.flock.settings().time_step);
        let stride = ((1.0 / RATE / time_step).round() as u32).max(1);
        let seconds = stride as f32 * time_step;
        let path = PathBuf::from(format!("starlings-{step}.mp4"));
        let (video, path) = VideoFile::open(&path, Existing::Number, VideoFormat::Mp4, size, seconds)?;
        Ok(Some(VideoRecording { video, path, size, studio: None, stride, next: step, frames: 0, seconds }))
    }

    /// Steps that the window takes in a frame, while it records; none while `ffmpeg` has enough to do.
    pub fn stride(&mut self) -> u32 {
        if self.video.has_room() { self.stride } else { 0 }
    }

    /// What it will be, for the user.
    pub fn announcement(&self) -> String {
        let (rate, (width, height)) = ((1.0 / self.seconds).round(), self.size);
        let path = self.path.display();
        format!("recording to {path}: {width}x{height}, {rate} frames a second (F9 ends it)")
    }

    /// Adds what `session` shows from `camera`, if its flock has come to the next frame. Waits for the device.
    pub fn shoot(&mut self, session: &mut Session, camera: Camera) -> Result<()> {
        let step = session.flock.on_device.step();
        // A flock that was started over is before.
        let due = step >= self.next || step + self.stride < self.next;
        // Without room the flock takes no steps, so that no frame is lost.
        if !due || !self.video.has_room() {
            return Ok(());
        }
        let drawing = &session.drawing;
        // Trails go on in the window's scene: a studio has them as they were when it was made.
        let trailing = drawing.scene.trails().is_some();
        let scene = drawing.scenes;
        let flock = &mut session.flock.on_device;
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

    /// Says that there are no more frames, and what the file is to remember.
    pub fn end(&mut self, memory: Option<String>) {
        self.studio = None;
        if let Some(memory) = memory {
            self.video.remember(memory);
        }
        self.video.end();
    }

    /// What to say once the file is complete, or cannot be. Waits for nothing.
    pub fn finished(&mut self) -> Option<Result<String>> {
        if self.frames == 0 {
            return Some(Ok(report(Path::new(""), 0, self.seconds)));
        }
        let finished = self.video.finished()?;
        Some(finished.map(|path| report(&path, self.frames, self.seconds)))
    }

    /// Completes the file, of a window that closes. Returns what to say.
    pub fn finish(self) -> Result<String> {
        let (frames, seconds) = (self.frames, self.seconds);
        let path = if frames == 0 { PathBuf::new() } else { self.video.finish(true)? };
        Ok(report(&path, frames, seconds))
    }
}

/// What to say of a video of so many frames, each of so many seconds.
fn report(path: &Path, frames: u32, seconds: f32) -> String {
    let all = frames as f32 * seconds;
    match frames {
        0 => "nothing was recorded".into(),
        _ => format!("wrote {}: {frames} frames, {all:.1} s of the flock's time", path.display()),
    }
}
