//! The clips of a fish, in the order of `CLIP_SWIM`, `CLIP_REST`.

use super::{FRAMES, Moves};
use std::f64::consts::TAU;

/// A wave runs along the body, from head to tail, where it is highest: that of a fish that swims as hard as it can.
/// Shares of it, mixed with the straight body, are waves that are as much lower.
pub const FISH: [Moves; 2] = [
    Moves {
        frames: FRAMES,
        rate: 1.83,
        vary: 0.435,
        place: |corner, phase| {
            let along = corner.place.z + 0.5;
            let swing = 0.22 * (0.2 * along + along * along);
            corner.place.with_x(corner.place.x + swing * (TAU * phase - 5.5 * along).sin())
        },
    },
    Moves::pose(|corner, _| corner.place),
];
