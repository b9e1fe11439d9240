//! Options for other tools: RenderDoc captures and traces.

use super::numbers;
use super::output::create;
use crate::export::{Existing, OutputFile, Trace};
use crate::{Error, Result};
use clap::Args;
use starlings::vk::Device;
use std::path::{Path, PathBuf};

/// `--capture` of the commands without a window.
#[derive(Args, Debug)]
#[command(next_help_heading = "Profiling")]
pub struct CaptureArgs {
    /// Capture this frame with RenderDoc, into a new file in the current folder [default: none]
    #[arg(long, value_name = "FRAME", conflicts_with = "validation")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    pub capture: Option<u32>,
}

/// Refuses to capture a frame beyond the `frames` frames that the option `flag` requests.
pub fn check(capture: Option<u32>, frames: u32, flag: &str) -> Result<()> {
    match capture {
        Some(frame) if frame > frames => {
            let accepted = format!("a whole number from 1 to {frames}, the count of {flag}");
            Err(Error::flag("capture", frame, accepted))
        }
        _ => Ok(()),
    }
}

/// The one frame of a run that RenderDoc captures, if any.
pub struct FrameCapture<'a> {
    /// None of a flock that the CPU steps.
    device: Option<&'a Device>,
    frame: Option<u32>,
    path: Option<PathBuf>,
}

impl<'a> FrameCapture<'a> {
    /// Will capture frame number `frame` of a run on `device`, if it has one.
    pub fn new(device: Option<&'a Device>, frame: Option<u32>) -> Self {
        FrameCapture { device, frame, path: None }
    }

    /// The frame that has to be submitted by itself.
    pub fn frame(&self) -> Option<u32> {
        self.frame
    }

    /// Runs `work`, which draws frame number `frame` and waits for it, and captures it if requested.
    pub fn draw<T>(&mut self, frame: u32, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.frame != Some(frame) {
            return work();
        }
        let missing = || starlings::Error::NoRenderDoc("the device was opened without it".into());
        let capture = self.device.and_then(|device| device.instance().capture()).ok_or_else(missing)?;
        let recording = capture.start()?;
        let done = work()?;
        self.path = Some(recording.finish(frame.into())?);
        Ok(done)
    }

    /// `answer`, if there is one, followed by a line about the capture, if there is one.
    pub fn tell(self, answer: Option<String>) -> Option<String> {
        let captured = self.frame.zip(self.path);
        let line = captured.map(|(frame, path)| format!("{}: RenderDoc's capture of frame {frame}", path.display()));
        let lines: Vec<String> = answer.into_iter().chain(line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// `--trace`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Profiling")]
pub struct TraceArgs {
    /// Write a time line of host and GPU to this file, for Perfetto or chrome://tracing [default: none]
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

impl TraceArgs {
    /// The trace that is asked for, if any.
    pub fn open(&self, existing: Existing) -> Result<Option<OutputFile>> {
        // Before the run, to report an unwritable file.
        self.trace.as_deref().map(|path| create(path, "trace", "json", existing)).transpose()
    }

    pub fn path(&self) -> Option<&Path> {
        self.trace.as_deref()
    }
}

pub fn write(trace: &Trace, out: OutputFile) -> Result<()> {
    let path = out.path().to_owned();
    let pieces = trace.write(out)?;
    tracing::info!("{}: {pieces} spans and passes", path.display());
    Ok(())
}
