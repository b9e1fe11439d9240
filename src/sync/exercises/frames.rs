//! Frames for exercises, recorded on paper.

use crate::error::Result;
use crate::flock::{Search, Settings};
use crate::sync::{FrameKind, FrameSpec, Rehearsal};
use crate::vk::{Device, Instance, Journal};

/// Boids of a flock that is only recorded.
const FEW: u32 = 1_000;

/// Frames of this kind with these counts of steps.
pub fn record(kind: FrameKind, search: Search, steps: &[u32]) -> Result<Vec<Journal>> {
    let device = Device::new(&Instance::paper()?, None, None)?;
    let settings = Settings { search, ..Settings::preset("counting-sort")?.with_boids(FEW) };
    Rehearsal::new(&device, &FrameSpec::new(&settings, kind), None)?.journals(steps, &[])
}
