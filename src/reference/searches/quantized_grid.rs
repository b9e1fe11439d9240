//! Twin of `glsl/searches/quantized_grid.glsl`: the rows of `sorted_grid.glsl`, cut by the table that the kernel reads,
//! and of each row the boids whose quantized positions may be near.

use crate::flock::grid::{cell_beside, cell_id, cell_of, columns_around};
use crate::flock::layout::{Chords, Grid, GridRow};
use crate::flock::quanta;
use crate::reference::ordered::Quantized;
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The rows of cells whose boids are tested: ranges of numbers of cells.
pub fn cells(grid: &Grid, chords: &Chords, position: Vec3, visit: impl FnMut(Range<u32>)) {
    let (t, cell) = (position - grid.origin, cell_of(grid, position));
    let steps = (-1..=1).flat_map(|dy| (-1..=1).map(move |dz| (dy, dz)));
    let wraps = grid.wraps != 0;
    let rows = chords.rows.iter().zip(steps).filter_map(|(beside, (dy, dz))| {
        let y = cell_beside(cell.y, dy, grid.dims.y, wraps)?;
        let z = cell_beside(cell.z, dz, grid.dims.z, wraps)?;
        cells_in(grid, chords, beside, t, (cell, UVec3::new(0, y, z)))
    });
    rows.flatten().for_each(visit);
}

/// The cells of the row that begins with cell `first`, for a boid at `t` in `cell`; none if the sphere does not reach
/// it.
fn cells_in(
    grid: &Grid,
    chords: &Chords,
    beside: &GridRow,
    t: Vec3,
    (cell, first): (UVec3, UVec3),
) -> Option<[Range<u32>; 2]> {
    let gap = |[from, toward]: [f32; 2], within: f32| (from + toward * within).max(0.0);
    let gap_y = gap(beside.gap_y, t.y - cell.y as f32 * grid.cell_size.y);
    let gap_z = gap(beside.gap_z, t.z - cell.z as f32 * grid.cell_size.z);
    let half_squared = chords.radius_squared - gap_y * gap_y - gap_z * gap_z;
    if half_squared < 0.0 {
        return None;
    }
    let x = t.x * grid.inv_cell_size.x;
    let half_chord = half_squared.sqrt() + chords.slack;
    if grid.wraps != 0 {
        let start = cell_id(grid, first);
        let columns = columns_around(x - half_chord, x + half_chord, grid.dims.x);
        return Some(columns.map(|columns| start + columns.start..start + columns.end));
    }
    let start = cell_id(grid, UVec3::new(0, cell.y, cell.z)).wrapping_add(beside.cells);
    let column = |x: f32| start + x.clamp(0.0, chords.last_column) as u32;
    Some([column(x - half_chord)..column(x + half_chord) + 1, 0..0])
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
