//! `view --benchmark`: the times of a window's frames, as comma-separated values and in one line.

use super::output::{create, print};
use crate::Result;
use crate::export::{Existing, OutputFile};
use crate::viewer::ViewerReport;
use starlings::vk::Spread;
use std::io::Write;
use std::path::Path;

/// Frames to time, unless their count is given.
pub const FRAMES: u32 = 600;

/// The file, if one is wanted, opened before the run so that errors are reported early.
pub struct FrameTimes(Option<OutputFile>);

impl FrameTimes {
    /// Opens the file, if one is wanted.
    pub fn open(path: Option<&Path>, existing: Existing) -> Result<FrameTimes> {
        Ok(FrameTimes(path.map(|path| create(path, "benchmark", "csv", existing)).transpose()?))
    }

    /// Writes a row for each frame that was timed, and prints what they come to.
    pub fn finish(self, report: &ViewerReport) -> Result<()> {
        let times = &report.frame_times;
        if let Some(file) = self.0 {
            let rows = times.iter().zip(1..).map(|(ms, frame)| format!("{frame},{ms:.3}\n"));
            let text: String = std::iter::once("frame,ms\n".to_owned()).chain(rows).collect();
            file.fill(|file| file.write_all(text.as_bytes()))?;
        }
        let Spread { median, p99, .. } = Spread::of(times);
        let (count, seconds) = (times.len(), times.iter().sum::<f64>() / 1e3);
        let rate = if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        print(&format!(
            "{count} frames on {}: median {median:.3} ms, 99th percentile {p99:.3} ms, {rate:.1} frames a second",
            report.device
        ))
    }
}
