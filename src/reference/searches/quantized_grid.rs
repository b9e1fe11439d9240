//! Twin of `glsl/searches/quantized_grid.glsl`: the rows of [`SortedGrid`], and of each the boids whose quantized positions
//! may be near.

use super::{Search, SortedGrid};
use crate::flock::BoidState;
use crate::flock::grid::{may_be_near, quantized_self};
use glam::Vec3;
use std::ops::Range;

/// Tests those boids of nine rows whose quantized positions may be near.
pub struct QuantizedGrid<'a> {
    /// The rows.
    pub rows: SortedGrid<'a>,
    /// The quantized position of each boid, in cell order.
    pub quantized: &'a [u32],
}

impl Search for QuantizedGrid<'_> {
    fn closest(&self, flock: &BoidState, i: usize) -> Option<usize> {
        self.rows.closest(flock, i)
    }

    fn candidates(&self, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
        let looking = quantized_self(self.rows.grid, position);
        self.rows.candidates(position, |row| {
            for j in row {
                if may_be_near(self.rows.grid, looking, self.quantized[j]) {
                    visit(j..j + 1);
                }
            }
        });
    }
}
