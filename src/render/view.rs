//! What a frame looks at.

use super::camera::Camera;
use std::ops::Range;

/// From where, and when between two steps, a frame looks at the flock.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// The rows of these pixels that the frame draws, counted from the top: a picture may be drawn in bands.
    pub rows: Range<u32>,
    /// Pixels along an edge of a block of pixels, as the canvas has them.
    pub block: u32,
    /// Simulated seconds since the last step, which positions run ahead by.
    pub extrapolate: f32,
    /// Seconds since the frame before, in which a range of colors follows the flock; none fits it at once to what was
    /// counted last.
    pub elapsed: Option<f32>,
}

impl View {
    /// All of a picture of `width` by `height` pixels, right after a step.
    pub fn of(camera: Camera, width: u32, height: u32) -> View {
        View { camera, width, height, rows: 0..height, block: 1, extrapolate: 0.0, elapsed: None }
    }
}
