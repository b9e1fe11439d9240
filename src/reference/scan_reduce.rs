//! Twin of `scan_reduce.comp`: the number of boids in each block of cells.

use crate::flock::layout::Crowding;
use crate::limits::SCAN_BLOCK;

/// The sum of each block of [`SCAN_BLOCK`] counts; the last block may be shorter.
pub fn scan_reduce(cell_counts: &[u32]) -> Vec<u32> {
    cell_counts.chunks(SCAN_BLOCK as usize).map(|block| block.iter().sum()).collect()
}

/// How crowded the cells of each block of [`SCAN_BLOCK`] are.
pub fn block_crowding(cell_counts: &[u32]) -> Vec<Crowding> {
    cell_counts.chunks(SCAN_BLOCK as usize).map(crowding).collect()
}

/// How crowded cells with these counts are.
pub fn crowding(cell_counts: &[u32]) -> Crowding {
    let squares: f64 = cell_counts.iter().map(|&count| f64::from(count).powi(2)).sum();
    Crowding { fullest: cell_counts.iter().copied().max().unwrap_or(0), squares: squares as f32 }
}
