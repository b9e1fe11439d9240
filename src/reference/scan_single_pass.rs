//! Twin of `scan_single_pass.comp`, and what the three passes of a step must give together.

/// The sum of all counts before each cell, and of all of them at the end.
pub fn scan_single_pass(cell_counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let mut starts = Vec::with_capacity(cell_counts.len() + 1);
    starts.push(0);
    starts.extend(cell_counts.iter().map(|&count| {
        sum += count;
        sum
    }));
    starts
}
