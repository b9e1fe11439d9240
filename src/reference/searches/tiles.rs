//! Twin of `glsl/searches/tiles.glsl`: every boid is a candidate, a tile of them at a time.

use super::Search;
use crate::limits::steer_workgroup;
use glam::Vec3;
use std::ops::Range;

/// Tests every boid, tile by tile.
pub struct Tiles {
    /// Boids in the flock.
    pub boids: usize,
}

impl Search for Tiles {
    fn candidates(&self, _position: Vec3, visit: &mut dyn FnMut(Range<usize>)) {
        let tile = steer_workgroup("tiles") as usize;
        (0..self.boids).step_by(tile).map(|first| first..(first + tile).min(self.boids)).for_each(visit);
    }
}
