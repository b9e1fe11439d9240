//! Twins of `bitonic_local.comp`, `bitonic_exchange.comp` and `bitonic_merge.comp`: the same network, comparison by
//! comparison. `glsl/include/bitonic.glsl` says how it deals with any count.

use crate::flock::steppers::{exchanged_strides, merged_blocks};
use crate::limits::BITONIC_BLOCK;

/// Sorts each block of [`BITONIC_BLOCK`] pairs.
pub fn bitonic_local(pairs: &mut [[u32; 2]]) {
    let mut block = 2;
    while block <= BITONIC_BLOCK {
        exchange(pairs, block, 0);
        stride_stages(pairs, block / 4);
        block *= 2;
    }
}

/// One stage of merging blocks of `block` pairs; `stride` 0 is the first, which mirrors.
pub fn bitonic_exchange(pairs: &mut [[u32; 2]], block: u32, stride: u32) {
    exchange(pairs, block, stride);
}

/// The last stages of a merge, within blocks of [`BITONIC_BLOCK`] pairs.
pub fn bitonic_merge(pairs: &mut [[u32; 2]]) {
    stride_stages(pairs, BITONIC_BLOCK / 2);
}

/// All passes of the sort, in the order of the frame.
pub fn bitonic_sort(pairs: &mut [[u32; 2]]) {
    bitonic_local(pairs);
    for block in merged_blocks(pairs.len() as u32) {
        for stride in exchanged_strides(block) {
            bitonic_exchange(pairs, block, stride);
        }
        bitonic_merge(pairs);
    }
}

fn stride_stages(pairs: &mut [[u32; 2]], mut stride: u32) {
    while stride > 0 {
        exchange(pairs, 0, stride);
        stride /= 2;
    }
}

fn exchange(pairs: &mut [[u32; 2]], block: u32, stride: u32) {
    let (block, stride) = (block as usize, stride as usize);
    for low in 0..pairs.len() {
        let high = match stride {
            0 if low % block >= block / 2 => continue,
            0 => low / block * block + block - 1 - low % block,
            _ if low / stride % 2 == 1 => continue,
            _ => low + stride,
        };
        // Behind the last pair is infinity, which stays where it is.
        if high < pairs.len() && pairs[low] > pairs[high] {
            pairs.swap(low, high);
        }
    }
}
