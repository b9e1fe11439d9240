//! Pictures of the queue over time, of this program's frames.

use super::FrameSpec;

pub use barrier_proof::queue::*;

/// Boids in frames that are recorded for this: no more are needed for every pass to occur.
const MOST_BOIDS: u32 = 8_000;

/// All that is known of a frame like that of `queue`, and of others of this kind.
pub fn sequences(queue: Queue, spec: Option<&FrameSpec>) -> Sequences {
    let recorded = spec.and_then(|spec| {
        let boids = spec.settings.boids.min(MOST_BOIDS);
        FrameSpec { settings: spec.settings.clone().with_boids(boids), ..spec.clone() }.journals(&[2, 0]).ok()
    });
    Sequences::of(queue, &recorded.unwrap_or_default())
}
