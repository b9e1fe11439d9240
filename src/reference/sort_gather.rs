//! Twin of `sort_gather.comp`: moves every boid to its place in cell order, by identity within a cell.

use crate::flock::BoidState;
use crate::flock::layout::{Grid, Quanta};
use crate::flock::quanta;
use glam::Vec3;

/// The flock in cell order. `cell_members` lists the boids of each cell, in any order, and `cell_starts` says where.
pub fn sort_gather(state: &BoidState, cell_members: &[u32], cell_starts: &[u32]) -> BoidState {
    let mut places = cell_members.to_vec();
    for range in cell_starts.windows(2) {
        places[range[0] as usize..range[1] as usize].sort_unstable_by_key(|&place| state.id[place as usize]);
    }
    let boid = |place: &u32| *place as usize;
    BoidState {
        position: places.iter().map(|place| state.position[boid(place)]).collect(),
        velocity: places.iter().map(|place| state.velocity[boid(place)]).collect(),
        id: places.iter().map(|place| state.id[boid(place)]).collect(),
    }
}

/// The quantized position of each boid of a sorted flock, bit for bit what the kernel writes.
pub fn quantized(grid: &Grid, scale: &Quanta, position: &[Vec3]) -> Vec<u32> {
    position.iter().map(|&position| quanta::quantized(grid, scale, position)).collect()
}

/// Checks that a device's sorted flock is, bit for bit, that of the twin.
///
/// # Errors
/// The first difference, in words.
pub fn check(state: &BoidState, cell_members: &[u32], cell_starts: &[u32], sorted: &BoidState) -> Result<(), String> {
    let expected = sort_gather(state, cell_members, cell_starts);
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
