//! The null driver: frames that it records are those of a device.

mod common;

use starlings::flock::{Search, Settings};
use starlings::vk::{Device, DeviceOptions, Instance, Journal};
use starlings_cli::sync::prove::same;
use starlings_cli::sync::{FrameSpec, Rehearsal, Rehearse, frames};

#[test]
fn every_kind_of_frame_is_recorded_as_by_a_device() {
    // A narrow device differs in how it draws, after any search.
    are_recorded_as_by_a_device(|frame| frame.settings.search == Search::QuantizedGrid);
}

#[test]
#[ignore = "long: frames of a narrow device by every search"]
fn every_kind_of_frame_is_recorded_as_by_a_narrow_device() {
    are_recorded_as_by_a_device(|_| true);
}

/// All frames, and on a narrow device those that are drawn and of which `in_narrow` holds.
fn are_recorded_as_by_a_device(in_narrow: impl Fn(&FrameSpec) -> bool) {
    let frames = frames(&Settings::preset("counting-sort").expect("a known preset"));
    let null = Instance::null().expect("it needs no driver");
    for narrow in [false, true] {
        let options = DeviceOptions { narrow, ..DeviceOptions::default() };
        let null = Device::with_options(&null, &options).expect("its device lacks nothing");
        let Some(device) = common::device_with(&options) else { return };
        if !narrow && !device.info().wide_atomics {
            continue; // The device draws in two rounds, as the next turn does.
        }
        // Many frames differ only in their kernels.
        let mut known: Vec<Vec<Journal>> = Vec::new();
        for frame in frames.iter().filter(|frame| !narrow || (frame.kind.draws() && in_narrow(frame))) {
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
