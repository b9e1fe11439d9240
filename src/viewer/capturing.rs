//! Which frames of a window RenderDoc captures: one named in advance, and those requested with F10.

use super::session::Drawn;
use crate::error::{Error, Result};
use crate::vk::{Capture, Recording};
use std::path::PathBuf;
use std::sync::Arc;

/// Selects the frames, and records the captures.
#[derive(Debug, Default)]
pub struct Capturing {
    /// The frame named beforehand, counted from 1.
    pub frame: Option<u64>,
    /// The next frame, whichever that is.
    pub next: bool,
    /// Captures made so far.
    pub paths: Vec<PathBuf>,
}

impl Capturing {
    /// Starts the capture of frame number `frame`, if it is to be captured.
    pub fn begin(&mut self, renderdoc: Option<&Arc<Capture>>, frame: u64) -> Result<Option<Recording>> {
        if self.frame != Some(frame) && !self.next {
            return Ok(None);
        }
        let started = renderdoc
            .ok_or_else(|| Error::NoRenderDoc("F10 captures a frame in a window opened with --capture".into()))
            .and_then(Capture::start);
        self.next &= started.is_ok();
        started.map(Some)
    }

    /// Ends the capture of frame number `frame`, which became `drawn`. One that was not shown is tried again; else this
    /// returns what to tell the user.
    pub fn end(&mut self, recording: Recording, frame: u64, drawn: Drawn) -> Result<Option<String>> {
        if drawn != Drawn::Shown {
            return Ok(None);
        }
        self.next = false;
        let path = recording.finish(frame)?;
        let notice = format!("captured {}", path.display());
        self.paths.push(path);
        Ok(Some(notice))
    }
}
