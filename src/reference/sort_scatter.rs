//! Twin of `sort_scatter.comp`: moves every boid to its place in cell order.

use crate::flock::BoidState;
use crate::flock::grid::{cell_id, cell_of};
use crate::flock::layout::{Grid, Quanta};
use crate::flock::quanta;
use glam::Vec3;

/// The flock in cell order: a boid's place is the start of its cell plus the number of boids there with a lower id.
/// `cell_members` lists the ids of the boids of each cell, in any order.
///
/// # Panics
/// When a boid is not listed in its cell.
pub fn sort_scatter(grid: &Grid, state: &BoidState, cell_members: &[u32], cell_starts: &[u32]) -> BoidState {
    let mut members = cell_members.to_vec();
    for range in cell_starts.windows(2) {
        members[range[0] as usize..range[1] as usize].sort_unstable();
    }
    let boids = state.len();
    let mut sorted =
        BoidState { position: vec![Vec3::NAN; boids], velocity: vec![Vec3::NAN; boids], id: vec![u32::MAX; boids] };
    for (boid, &position) in state.position.iter().enumerate() {
        let cell = cell_id(grid, cell_of(grid, position)) as usize;
        let start = cell_starts[cell] as usize;
        let lower = members[start..cell_starts[cell + 1] as usize].binary_search(&state.id[boid]);
        let place = start + lower.expect("a list with each boid in its cell");
        sorted.position[place] = position;
        sorted.velocity[place] = state.velocity[boid];
        sorted.id[place] = state.id[boid];
    }
    sorted
}

/// The quantized position of each boid of a sorted flock, bit for bit what the kernel writes.
pub fn quantized(grid: &Grid, scale: &Quanta, position: &[Vec3]) -> Vec<u32> {
    position.iter().map(|&position| quanta::quantized(grid, scale, position)).collect()
}

/// Checks a device's sorted flock against its own lists and starts, bit for bit.
///
/// # Errors
/// The first difference, in words.
pub fn check(
    grid: &Grid,
    state: &BoidState,
    cell_members: &[u32],
    cell_starts: &[u32],
    sorted: &BoidState,
) -> Result<(), String> {
    let expected = sort_scatter(grid, state, cell_members, cell_starts);
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    for place in 0..state.len() {
        let (want, got) = (expected.id[place], sorted.id[place]);
        if want != got {
            return Err(format!("place {place} holds boid {got}, but boid {want} belongs there"));
        }
        if bits(expected.position[place]) != bits(sorted.position[place])
            || bits(expected.velocity[place]) != bits(sorted.velocity[place])
        {
            return Err(format!("boid {got} arrived at place {place} with another position or velocity"));
        }
    }
    Ok(())
}
