//! Twin of `sort_list.comp`: lists the ids of the boids of each cell.

/// The ids of the boids of each cell: a boid's place is the start of its cell plus its rank. `cell_rank` has both of
/// each boid.
///
/// # Panics
/// When ranks and starts do not give each boid a place of its own; [`super::grid_count::check`] tells.
pub fn sort_list(id: &[u32], cell_rank: &[[u32; 2]], cell_starts: &[u32]) -> Vec<u32> {
    let mut members = vec![u32::MAX; id.len()];
    for (&id, &[cell, rank]) in id.iter().zip(cell_rank) {
        members[(cell_starts[cell as usize] + rank) as usize] = id;
    }
    members
}
