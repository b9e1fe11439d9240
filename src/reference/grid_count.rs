//! Twin of `grid_count.comp`: how many boids each cell holds, and which of them each boid is.

use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::Grid;
use glam::Vec3;
use rayon::prelude::*;

/// What the kernel writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Boids in each cell.
    pub cell_counts: Vec<u32>,
    /// Cell of each boid, and its rank among the boids there: here, in the order of the list.
    pub cell_rank: Vec<[u32; 2]>,
}

/// Counts the boids of every cell.
pub fn grid_count(grid: &Grid, position: &[Vec3]) -> Counted {
    let mut cell_counts = vec![0; grid.cell_count as usize];
    let cells: Vec<u32> = position.par_iter().map(|&p| cell_id(grid, cell_of(grid, p))).collect();
    let rank = |cell: &u32| {
        let count = &mut cell_counts[*cell as usize];
        *count += 1;
        [*cell, *count - 1]
    };
    let cell_rank = cells.iter().map(rank).collect();
    Counted { cell_counts, cell_rank }
}

/// Checks what a device made of `position`: counts and cells must be exact, and the ranks within each cell of n boids
/// must be 0 .. n-1, each once, in any order.
///
/// # Errors
/// The first difference, in words.
pub fn check(grid: &Grid, position: &[Vec3], cell_counts: &[u32], cell_rank: &[[u32; 2]]) -> Result<(), String> {
    let expected = grid_count(grid, position);
    if cell_counts.len() != expected.cell_counts.len() || cell_rank.len() != position.len() {
        return Err(format!("{} counts and {} ranks have the wrong length", cell_counts.len(), cell_rank.len()));
    }
    for (cell, (&got, &want)) in cell_counts.iter().zip(&expected.cell_counts).enumerate() {
        if got != want {
            return Err(format!("cell_counts[{cell}] is {got}, but {want} boids lie in that cell"));
        }
    }
    // A rank below the count that no other boid of the cell has marks a slot of its own; `starts + rank` numbers those
    // slots.
    let before = |sum: &mut u32, &count: &u32| Some(std::mem::replace(sum, *sum + count));
    let starts: Vec<u32> = cell_counts.iter().scan(0, before).collect();
    let mut taken_by = vec![u32::MAX; position.len()];
    for (boid, (&[cell, rank], [lies_in, _])) in cell_rank.iter().zip(&expected.cell_rank).enumerate() {
        if cell != *lies_in {
            return Err(format!("boid {boid} is in cell {cell}, but lies in cell {lies_in}"));
        }
        let cell = cell as usize;
        if rank >= cell_counts[cell] {
            return Err(format!("boid {boid} has rank {rank} in cell {cell}, which holds {}", cell_counts[cell]));
        }
        let slot = &mut taken_by[(starts[cell] + rank) as usize];
        if *slot != u32::MAX {
            return Err(format!("boids {slot} and {boid} both have rank {rank} in cell {cell}"));
        }
        *slot = boid as u32;
    }
    Ok(())
}
