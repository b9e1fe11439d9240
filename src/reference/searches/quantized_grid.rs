//! Twin of `glsl/searches/quantized_grid.glsl`: the rows of [`SortedGrid`], cut by the table that the kernel reads, and of each
//! row the boids whose quantized positions may be near.

use super::Search;
use super::sorted_grid::SortedGrid;
use crate::flock::BoidState;
use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::{Chords, GridRow, Quanta};
use crate::flock::quanta;
use crate::reference::ordered::Ordered;
use crate::reference::sort_scatter::quantized;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// Tests those boids of nine rows whose quantized positions may be near.
pub struct QuantizedGrid<'a> {
    rows: SortedGrid<'a>,
    chords: Chords,
    quanta: Quanta,
    /// The quantized position of each boid, in cell order.
    quantized: Vec<u32>,
}

impl<'a> QuantizedGrid<'a> {
    /// Quantizes the positions of the flock.
    pub fn new(ordered: &'a Ordered) -> Self {
        let (grid, radius) = (&ordered.grid, ordered.radius);
        let quanta = quanta::quanta(grid, radius);
        let quantized = quantized(grid, &quanta, &ordered.flock.position);
        QuantizedGrid { rows: SortedGrid(ordered), chords: quanta::chords(grid, radius), quanta, quantized }
    }

    /// The candidates in a row for a boid at `t` in `cell`.
    fn candidates_in(&self, beside: &GridRow, t: Vec3, cell: UVec3) -> Range<usize> {
        let (Ordered { grid, cell_starts, .. }, chords) = (self.rows.0, &self.chords);
        let gap = |[from, toward]: [f32; 2], within: f32| (from + toward * within).max(0.0);
        let gap_y = gap(beside.gap_y, t.y - cell.y as f32 * grid.cell_size.y);
        let gap_z = gap(beside.gap_z, t.z - cell.z as f32 * grid.cell_size.z);
        let half_squared = chords.radius_squared - gap_y * gap_y - gap_z * gap_z;
        if half_squared < 0.0 {
            return 0..0;
        }
        let x = t.x * grid.inv_cell_size.x;
        let half_chord = half_squared.sqrt() + chords.slack;
        let start = cell_id(grid, UVec3::new(0, cell.y, cell.z)).wrapping_add(beside.cells);
        let column = |x: f32| start + x.clamp(0.0, chords.last_column) as u32;
        let boids_before = |cell: u32| cell_starts[cell as usize] as usize;
        boids_before(column(x - half_chord))..boids_before(column(x + half_chord) + 1)
    }
}

impl Search for QuantizedGrid<'_> {
    fn closest(&self, flock: &BoidState, i: usize) -> Option<usize> {
        self.rows.closest(flock, i)
    }

    fn candidates(&self, position: Vec3, visit: &mut dyn FnMut(Range<usize>)) {
        let grid = &self.rows.0.grid;
        let looking = quanta::quantized_self(grid, &self.quanta, position);
        let (t, cell) = (position - grid.origin, cell_of(grid, position));
        let neighbors =
            |cell: u32, dims: u32| (-1..=1).map(move |step| cell.checked_add_signed(step).filter(|&c| c < dims));
        let inside = neighbors(cell.y, grid.dims.y)
            .flat_map(|y| neighbors(cell.z, grid.dims.z).map(move |z| y.is_some() && z.is_some()));
        for (beside, _) in self.chords.rows.iter().zip(inside).filter(|(_, inside)| *inside) {
            for j in self.candidates_in(beside, t, cell) {
                if quanta::may_be_near(&self.quanta, looking, self.quantized[j]) {
                    visit(j..j + 1);
                }
            }
        }
    }
}
