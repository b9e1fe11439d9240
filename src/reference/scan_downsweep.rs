//! Twin of `scan_downsweep.comp`: where each cell's boids start in the sorted flock.

use crate::limits::SCAN_BLOCK;

/// The exclusive prefix sum of the counts, block by block on from the sum of the blocks before, and the count of all
/// boids behind the last cell.
pub fn scan_downsweep(cell_counts: &[u32], block_sums: &[u32], boid_count: u32) -> Vec<u32> {
    let mut cell_starts = Vec::with_capacity(cell_counts.len() + 1);
    for (block, &before) in cell_counts.chunks(SCAN_BLOCK as usize).zip(block_sums) {
        let mut carry = before;
        for &count in block {
            cell_starts.push(carry);
            carry += count;
        }
    }
    cell_starts.push(boid_count);
    cell_starts
}
