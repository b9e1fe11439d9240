//! The exclusive prefix sum alone, in three passes and in one, against a sum on the CPU.

use crate::common;
use starlings::bench::scan::{METHODS, Method, Scan};
use starlings::limits::{SCAN_BLOCK, SINGLE_PASS_BLOCK};

/// Elements: around a vector, a block, a subgroup of blocks for each subgroup size, and several of those.
const ELEMENTS: &[u32] = &[
    1,
    3,
    4,
    5,
    SCAN_BLOCK - 1,
    SCAN_BLOCK,
    SCAN_BLOCK + 1,
    4 * SCAN_BLOCK,
    SINGLE_PASS_BLOCK - 1,
    SINGLE_PASS_BLOCK,
    SINGLE_PASS_BLOCK + 1,
    9 * SINGLE_PASS_BLOCK + 7,
    32 * SINGLE_PASS_BLOCK + 1,
    65 * SINGLE_PASS_BLOCK - 3,
    1_000_003,
];

#[test]
fn scans_are_exact_by_every_method() {
    let Some(device) = common::device() else { return };
    for (&elements, method) in ELEMENTS.iter().flat_map(|size| METHODS.map(|method| (size, method))) {
        let mut scan = Scan::new(&device, elements, method).expect("a small scan fits");
        // Twice: the second run starts with the first run's results in its buffers.
        for _ in 0..2 {
            scan.run().expect("the device is alive");
            scan.check().unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        }
    }
}

/// The workgroups of silent blocks publish nothing, as if they did not run: others must compute the missing sums.
#[test]
fn a_single_pass_does_not_wait_for_other_workgroups() {
    let Some(device) = common::device() else { return };
    for every in [2, 3, 40] {
        for elements in [9 * SINGLE_PASS_BLOCK + 7, 65 * SINGLE_PASS_BLOCK - 3] {
            let mut scan = Scan::with_silent_blocks(&device, elements, Method::SinglePass, every).expect("it fits");
            scan.run().expect("the device is alive");
            scan.check().unwrap_or_else(|error| panic!("one of {every} blocks silent: {error}"));
        }
    }
}
