//! Twin of `glsl/searches/quantized_grid.glsl`: the rows of `sorted_grid.glsl`, cut by the table that the kernel reads, and of
//! each row the boids whose quantized positions may be near.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::{Chords, GridRow};
use crate::flock::quanta;
use crate::reference::ordered::{Ordered, Quantized};
use glam::{UVec3, Vec3};
use std::ops::Range;

/// The candidates in a flock in cell order whose positions are quantized.
pub fn candidates(ordered: &Ordered, position: Vec3, mut visit: impl FnMut(Range<usize>)) {
    let (grid, Some(Quantized { quanta, chords, positions })) = (&ordered.grid, &ordered.quantized) else { return };
    let looking = quanta::quantized_self(grid, quanta, position);
    let (t, cell) = (position - grid.origin, cell_of(grid, position));
    let neighbors =
        |cell: u32, dims: u32| (-1..=1).map(move |step| cell.checked_add_signed(step).filter(|&c| c < dims));
    let inside = neighbors(cell.y, grid.dims.y)
        .flat_map(|y| neighbors(cell.z, grid.dims.z).map(move |z| y.is_some() && z.is_some()));
    for (beside, _) in chords.rows.iter().zip(inside).filter(|(_, inside)| *inside) {
        for j in candidates_in(ordered, chords, beside, t, cell) {
            if quanta::may_be_near(quanta, looking, positions[j]) {
                visit(j..j + 1);
            }
        }
    }
}

/// The candidates in a row for a boid at `t` in `cell`.
fn candidates_in(ordered: &Ordered, chords: &Chords, beside: &GridRow, t: Vec3, cell: UVec3) -> Range<usize> {
    let Ordered { grid, cell_starts, .. } = ordered;
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
