//! Twin of `scan_spine.comp`: the exclusive prefix sum of the block sums, in place.

/// Replaces each sum by the sum of those before it.
pub fn scan_spine(block_sums: &mut [u32]) {
    let mut carry = 0;
    for sum in block_sums {
        carry += std::mem::replace(sum, carry);
    }
}
