//! The plainest search: every boid is a candidate.

use super::Search;
use glam::Vec3;
use std::ops::Range;

/// Tests every boid.
pub struct AllPairs {
    /// Boids in the flock.
    pub boids: usize,
}

impl Search for AllPairs {
    fn candidates(&self, _position: Vec3, visit: &mut dyn FnMut(Range<usize>)) {
        visit(0..self.boids);
    }
}
