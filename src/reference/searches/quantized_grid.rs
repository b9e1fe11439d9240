//! Twin of `glsl/searches/quantized_grid.glsl`: the rows of `sorted_grid.glsl`, cut by the table that the kernel reads, and of
//! each row the boids whose quantized positions may be near.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::{Chords, Grid, GridRow};
use crate::flock::quanta;
use crate::reference::ordered::Quantized;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The rows of cells whose boids are tested: ranges of numbers of cells.
pub fn cells(grid: &Grid, chords: &Chords, position: Vec3, visit: impl FnMut(Range<u32>)) {
    let (t, cell) = (position - grid.origin, cell_of(grid, position));
    let neighbors =
        |cell: u32, dims: u32| (-1..=1).map(move |step| cell.checked_add_signed(step).filter(|&c| c < dims));
    let inside = neighbors(cell.y, grid.dims.y)
        .flat_map(|y| neighbors(cell.z, grid.dims.z).map(move |z| y.is_some() && z.is_some()));
    let rows = chords.rows.iter().zip(inside).filter(|(_, inside)| *inside);
    rows.filter_map(|(beside, _)| cells_in(grid, chords, beside, t, cell)).for_each(visit);
}

/// The cells of a row for a boid at `t` in `cell`; none if the sphere does not reach it.
fn cells_in(grid: &Grid, chords: &Chords, beside: &GridRow, t: Vec3, cell: UVec3) -> Option<Range<u32>> {
    let gap = |[from, toward]: [f32; 2], within: f32| (from + toward * within).max(0.0);
    let gap_y = gap(beside.gap_y, t.y - cell.y as f32 * grid.cell_size.y);
    let gap_z = gap(beside.gap_z, t.z - cell.z as f32 * grid.cell_size.z);
    let half_squared = chords.radius_squared - gap_y * gap_y - gap_z * gap_z;
    if half_squared < 0.0 {
        return None;
    }
    let x = t.x * grid.inv_cell_size.x;
    let half_chord = half_squared.sqrt() + chords.slack;
    let start = cell_id(grid, UVec3::new(0, cell.y, cell.z)).wrapping_add(beside.cells);
    let column = |x: f32| start + x.clamp(0.0, chords.last_column) as u32;
    Some(column(x - half_chord)..column(x + half_chord) + 1)
}

/// Calls `visit` with each boid of `tested` whose quantized position may be near `position`.
pub fn may_be_near(
    grid: &Grid,
    quantized: &Quantized,
    position: Vec3,
    tested: Range<usize>,
    mut visit: impl FnMut(Range<usize>),
) {
    let looking = quanta::quantized_self(grid, &quantized.quanta, position);
    for j in tested {
        if quanta::may_be_near(&quantized.quanta, looking, quantized.positions[j]) {
            visit(j..j + 1);
        }
    }
}
