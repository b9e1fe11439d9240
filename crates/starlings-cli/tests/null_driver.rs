//! The null driver: frames that it records are those of a device.

mod common;

use starlings::flock::{Search, Settings};
use starlings::vk::{Device, DeviceOptions, Instance, Journal};
use starlings_cli::sync::prove::same;
use starlings_cli::sync::{Rehearsal, Rehearse, frames};

#[test]
fn every_kind_of_frame_is_recorded_as_by_a_device() {
    let frames = frames(&Settings::preset("counting-sort").expect("a known preset"));
    let null = Instance::null().expect("it needs no driver");
    for narrow in [false, true] {
        let options = DeviceOptions { narrow, ..DeviceOptions::default() };
        let null = Device::with_options(&null, &options).expect("its device lacks nothing");
        let Some(device) = common::device_with(&options) else { return };
        if !narrow && !device.info().wide_atomics {
            continue; // The device draws in two rounds, as the next turn does.
        }
        // Many frames differ only in their kernels. A narrow device draws otherwise, after any search.
        let mut known: Vec<Vec<Journal>> = Vec::new();
        for frame in frames
            .iter()
            .filter(|frame| !narrow || (frame.kind.draws() && frame.settings.search == Search::QuantizedGrid))
        {
            let journals = |device| {
                let mut rehearsal = Rehearsal::new(device, frame, None).expect("a small flock fits");
                rehearsal.journals(&[2, 0, 1], &[]).expect("it can be recorded")
            };
            let recorded = journals(&null);
            if !known.iter().any(|known| same(known, &recorded)) {
                assert!(same(&recorded, &journals(&device)), "{frame}");
                known.push(recorded);
            }
        }
    }
}
