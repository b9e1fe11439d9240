//! Pictures of the queue over time, of this program's frames.

use super::{FrameSpec, Rehearsal};
use starlings::vk::{Device, Instance, Journal};

pub use barrier_proof::queue::*;

/// Boids in frames that are recorded for this: no more are needed for every pass to occur.
const MOST_BOIDS: u32 = 8_000;

/// All that is known of a frame like that of `queue`, and of others of this kind.
pub fn sequences(queue: Queue, spec: Option<&FrameSpec>) -> Sequences {
    Sequences::of(queue, &spec.and_then(rehearsed).unwrap_or_default())
}

/// Such frames with two steps and with none; none if they cannot be recorded with the null driver.
fn rehearsed(spec: &FrameSpec) -> Option<Vec<Journal>> {
    let boids = spec.settings.boids.min(MOST_BOIDS);
    let spec = FrameSpec { settings: spec.settings.clone().with_boids(boids), ..spec.clone() };
    let device = Device::new(&Instance::null().ok()?, None, None).ok()?;
    Rehearsal::new(&device, &spec, None).ok()?.journals(&[2, 0], &[]).ok()
}
