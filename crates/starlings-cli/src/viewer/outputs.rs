//! What a window writes besides its report: a picture or a recording of the flock, captures, config files, and the
//! clipboard.

use super::display::Outcome;
use super::is_refusal;
use super::session::Session;
use super::video::VideoRecording;
use crate::error::{Error, Result};
use crate::export::{Existing, OutputFile};
use starlings::render::Camera;
use starlings::vk::{Capture, Recording};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked for, and what is under way.
#[derive(Default)]
pub struct Outputs {
    /// After the next frame.
    pub wants_picture: bool,
    pub captures: CaptureRequests,
    recording: Option<VideoRecording>,
    /// What was recorded, and is not complete yet.
    completing: Vec<VideoRecording>,
    /// Once something was copied.
    clipboard: Option<arboard::Clipboard>,
}

impl Outputs {
    /// With the frame to capture, if one is named beforehand.
    pub fn new(frame: Option<u64>) -> Outputs {
        Outputs { captures: CaptureRequests { frame, next: false }, ..Outputs::default() }
    }

    /// Whether the window is recorded.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Steps that the window takes in a frame, while it is recorded; none while the recording has no room for it.
    pub fn stride(&mut self) -> Option<u32> {
        self.recording.as_mut().map(VideoRecording::stride)
    }

    /// Begins a recording of `session`. Returns what to say.
    pub fn begin_recording(&mut self, session: &Session) -> Result<Option<String>> {
        self.recording = VideoRecording::begin(session)?;
        Ok(self.recording.as_ref().map(VideoRecording::announcement))
    }

    /// Ends a recording, if there is one, which is to remember `memory`, without waiting for it to be complete. Returns
    /// what to say.
    pub fn end_recording(&mut self, memory: Option<String>) -> Option<String> {
        let mut recording = self.recording.take()?;
        recording.end(memory);
        self.completing.push(recording);
        self.completed().or_else(|| Some("completing the recording".into()))
    }

    /// What to say of recordings that were ended and have become complete, or could not.
    pub fn completed(&mut self) -> Option<String> {
        let (done, going): (Vec<_>, Vec<_>) =
            self.completing.drain(..).map(|mut of| (of.finished(), of)).partition(|(said, _)| said.is_some());
        self.completing = going.into_iter().map(|(_, recording)| recording).collect();
        let said: Vec<String> = done.into_iter().filter_map(|(said, _)| said).map(sentence).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Completes what was recorded, and waits for it; what is being recorded is to remember `memory`. Returns what to
    /// say.
    ///
    /// # Errors
    /// The first of what went wrong.
    pub fn end_recordings(&mut self, memory: Option<String>) -> Result<Option<String>> {
        if let Some(recording) = &mut self.recording {
            recording.end(memory);
        }
        let all: Vec<_> = self.completing.drain(..).chain(self.recording.take()).collect();
        let said = all.into_iter().map(VideoRecording::finish).collect::<Result<Vec<String>>>()?;
        Ok((!said.is_empty()).then(|| said.join("; ")))
    }

    /// Adds the frame that was shown to the recording. One that cannot go on is given up, and the window goes on.
    /// Returns what to say.
    pub fn record_frame(&mut self, session: &mut Session, camera: Camera) -> Result<Option<String>> {
        let Some(recording) = &mut self.recording else { return Ok(None) };
        match recording.shoot(session, camera) {
            Ok(()) => Ok(None),
            Err(error) if matches!(error, Error::Output { .. }) || is_refusal(&error) => {
                self.recording = None;
                Ok(Some(format!("the recording has ended: {error}")))
            }
            Err(error) => Err(error),
        }
    }

    /// Puts `text` into the clipboard, where it stays while the window is open, or longer if the desktop keeps it.
    pub fn copy(&mut self, text: &str) -> std::result::Result<(), arboard::Error> {
        let clipboard = match self.clipboard.take() {
            Some(clipboard) => clipboard,
            None => arboard::Clipboard::new()?,
        };
        self.clipboard.insert(clipboard).set_text(text)
    }
}

/// Which frames RenderDoc captures: one named in advance, and those requested with F10.
#[derive(Debug, Default)]
pub struct CaptureRequests {
    /// The frame named beforehand, counted from 1.
    pub frame: Option<u64>,
    /// The next frame, whichever that is.
    pub next: bool,
}

impl CaptureRequests {
    pub fn begin(&mut self, renderdoc: Option<&Arc<Capture>>, frame: u64) -> Result<Option<Recording>> {
        if self.frame != Some(frame) && !self.next {
            return Ok(None);
        }
        let started = renderdoc
            .ok_or_else(|| {
                starlings::Error::NoRenderDoc("F10 captures a frame in a window opened with --capture".into())
            })
            .and_then(Capture::start);
        self.next &= started.is_ok();
        Ok(started.map(Some)?)
    }

    /// Ends the capture of frame number `frame`, which became `outcome`. One that was not shown is tried again; else
    /// this returns the file.
    pub fn end(&mut self, recording: Recording, frame: u64, outcome: Outcome) -> Result<Option<PathBuf>> {
        if outcome != Outcome::Shown {
            return Ok(None);
        }
        self.next = false;
        Ok(Some(recording.finish(frame)?))
    }
}

/// What went well, or wrong.
fn sentence(went: Result<String>) -> String {
    went.unwrap_or_else(|error| error.to_string())
}

/// Writes `text` to a new file named like `path`. Returns its name.
pub fn save(path: &Path, text: &str) -> Result<PathBuf> {
    let mut file = OutputFile::create(path, Existing::Number)?;
    let written = file.file().write_all(text.as_bytes());
    written.map_err(|error| Error::Output { path: path.to_owned(), reason: error.to_string() })?;
    Ok(file.commit()?.path)
}
