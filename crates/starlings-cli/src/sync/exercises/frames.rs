//! Frames for exercises, recorded with the null driver.

use crate::error::Result;
use crate::sync::{FrameKind, FrameSpec};
use starlings::flock::{Search, Settings};
use starlings::vk::Journal;

/// Boids of a flock that is only recorded.
const FEW: u32 = 1_000;

/// Frames of this kind with these counts of steps.
pub fn record(kind: FrameKind, search: Search, steps: &[u32]) -> Result<Vec<Journal>> {
    let settings = Settings { search, ..Settings::preset("counting-sort")?.with_boids(FEW) };
    Ok(FrameSpec::new(&settings, kind).journals(steps)?)
}
