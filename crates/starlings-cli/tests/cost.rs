//! The price of each dependency: what is compared is correct, and each is compared in every way that is.

mod common;

use starlings::flock::Settings;
use starlings_cli::bench::barriers::{Part, Way, measure};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn every_way_is_correct_and_timed() {
    let Some(device) = common::validated_device() else { return };
    let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(300);
    let go_on = |_: f64| -> starlings_cli::Result<()> { Ok(()) };
    let prices = measure(&device, &settings, (32, 24), Duration::ZERO, go_on).expect("the device lives");
    // Wide, by events, merged and left out: neither validation nor its synchronization validation objects.
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
    assert!(prices.base_us.iter().all(|&us| us > 0.0), "{:?}", prices.base_us);
    let found = |name: &str, part, way| {
        let price = prices.prices.iter().find(|price| (price.name, price.part, price.way) == (name, part, way));
        let price = price.unwrap_or_else(|| panic!("{name} {way:?}: {prices:#?}"));
        assert!(price.between_us.0 <= price.median_us && price.median_us <= price.between_us.1, "{price:?}");
        assert!(price.samples >= 12, "{price:?}");
    };
    found("scatter-to-steer", Part::Step, Way::Wide);
    found("scatter-to-steer", Part::Step, Way::Event);
    found("steer-to-count", Part::Step, Way::Merged("clear-to-count"));
    found("cull-to-draw", Part::Frame, Way::Wide);
    found("clear-to-cull", Part::Frame, Way::Merged("steer-to-cull"));
    found("copy-to-overlay", Part::Frame, Way::Event);
    found("compose-to-clear", Part::Frame, Way::LeftOut);
    let names: BTreeSet<&str> = prices.prices.iter().map(|price| price.name).collect();
    assert!(names.len() >= 20, "{names:?}");
    let left_out: Vec<&str> =
        prices.prices.iter().filter(|price| price.way == Way::LeftOut).map(|price| price.name).collect();
    assert_eq!(left_out, ["compose-to-clear"], "only where others do its work");
    // The host waits for no event in this way.
    let host = |name| prices.prices.iter().any(|price| price.name == name && price.way == Way::Event);
    assert!(!host("crowding-to-host") && !host("copy-to-host"));
}
