//! The copies with which the benchmark compares passes: both kinds copy all bytes, at sizes around a workgroup's.

use crate::{all, common};
use starlings::copy_rate::{Copies, CopyRates};

#[test]
fn both_kinds_of_copy_move_every_byte() {
    let Some(device) = common::device() else { return };
    for units in [1, 255, 256, 257, 70_001] {
        for copy in [Copies::by_kernel, Copies::by_command] {
            let mut copies = Copies::new(&device, 16 * units).expect("two small buffers");
            let (from, _) = copies.buffers();
            let bytes: Vec<u32> = (0..4 * units as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            from.upload(0, &bytes).expect("the bytes go up");
            copy(&mut copies).expect("the copy runs");
            assert_eq!(all::<u32>(copies.buffers().1), bytes, "{units} times 16 bytes");
        }
    }
}

#[test]
fn rates_are_measured_once_for_each_power_of_two() {
    let Some(device) = common::device() else { return };
    let mut rates = CopyRates::new(&device);
    let small = rates.at(1).expect("a copy");
    assert_eq!(small.bytes, 1 << 16);
    assert_eq!(rates.at(65_536).expect("a copy"), small, "measured once");
    assert_eq!(rates.at(100_000).expect("a copy").bytes, 1 << 17);
    assert!(rates.all().all(|rate| rate.bytes_per_second() > 0.0 && rate.bytes_per_second().is_finite()));
    assert_eq!(rates.all().count(), 2);
}
