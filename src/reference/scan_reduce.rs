//! Twin of `scan_reduce.comp`: the number of boids in each block of cells.

use crate::limits::SCAN_BLOCK;

/// The sum of each block of [`SCAN_BLOCK`] counts; the last block may be shorter.
pub fn scan_reduce(cell_counts: &[u32]) -> Vec<u32> {
    cell_counts.chunks(SCAN_BLOCK as usize).map(|block| block.iter().sum()).collect()
}
