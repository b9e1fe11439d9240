//! Twin of `scan_downsweep.comp`: where each cell's boids start in the sorted flock.

use crate::limits::SCAN_BLOCK;

/// The exclusive prefix sum of the counts, block by block on from the sum of the blocks before, and the count of
/// all boids behind the last cell.
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

/// What the three passes of the scan must give together: the sum of all counts before each cell, and of all of
/// them at the end.
pub fn exclusive_sum(cell_counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let mut starts = Vec::with_capacity(cell_counts.len() + 1);
    starts.push(0);
    starts.extend(cell_counts.iter().map(|&count| {
        sum += count;
        sum
    }));
    starts
}
