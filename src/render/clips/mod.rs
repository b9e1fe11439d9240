//! How shapes move: clips, of which every frame is baked for every vertex.
//!
//! A clip is a motion that repeats, such as one beat of the wings, or a pose. Here it is a function of a phase and of a
//! place of the mesh at rest; [`Figure`] bakes it into frames. A boid is between two frames of a clip, at a phase and a
//! rate of its own, and between several clips, with weights that its state and its speed say: `glsl/include/pose.glsl`.
//! Near boids find their frames in a texture ([`texture`]), which also blends two of them; `cull` finds those of the
//! coarse mesh in a buffer.

mod bird;
mod figure;
mod fish;
mod model;
pub mod texture;

pub use figure::Figure;
pub use model::{Model, Reader};

use glam::DVec3;

/// A place of a mesh at rest, as clips see it.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Right, up and back, in lengths of a boid.
    pub place: DVec3,
    /// How far it follows the wings: 0 on the body, 1 at the wrist, more at the tip.
    pub wing: f64,
}

/// One clip of a shape, before it is baked.
#[derive(Clone, Copy)]
pub struct Moves {
    /// Frames of a loop; 1 for a pose.
    frames: u32,
    /// Loops per second.
    rate: f32,
    /// By what share the rates of boids differ.
    vary: f32,
    /// Where a corner is at a phase from 0 to 1.
    place: fn(Corner, f64) -> DVec3,
}

impl Moves {
    /// A pose: one frame.
    const fn pose(place: fn(Corner, f64) -> DVec3) -> Moves {
        Moves { frames: 1, rate: 0.0, vary: 0.0, place }
    }

    /// The normal of a corner where the mesh at rest has `normal`: turned as the neighborhood of the corner is, which
    /// moves with it.
    fn normal(&self, corner: Corner, normal: DVec3, phase: f64) -> DVec3 {
        const STEP: f64 = 1e-4;
        let [x, y, z] = DVec3::AXES.map(|axis| {
            let at = |off: f64| (self.place)(Corner { place: corner.place + axis * off, ..corner }, phase);
            (at(STEP) - at(-STEP)) / (2.0 * STEP)
        });
        // By the matrix of cofactors of the derivative.
        (y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z).normalize_or(normal)
    }
}

/// A mesh that does not move.
const STILL: [Moves; 1] = [Moves::pose(|corner, _| corner.place)];

/// Frames of a clip that moves: so many that a wingtip between two of them is off by less than a 400th of a boid's
/// length.
const FRAMES: u32 = 32;
