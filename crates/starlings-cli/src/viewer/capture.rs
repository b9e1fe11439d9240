//! Which frames of a window RenderDoc captures: one named in advance, and those requested with F10.

use super::display::Outcome;
use crate::error::Result;
use starlings::vk::{Capture, Recording};
use std::path::PathBuf;
use std::sync::Arc;

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
