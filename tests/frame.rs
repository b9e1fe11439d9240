//! The whole step on a device under validation, and proof that the validation would have noticed.

mod common;

use starlings::flock::Settings;

fn settings() -> Settings {
    Settings::preset("reynolds").expect("a known preset").with_boids(3_000)
}

#[test]
fn a_run_of_steps_is_clean_under_core_and_synchronization_validation() {
    let Some(device) = common::validated_device() else { return };
    let mut flock = common::flock(&device, &settings());
    common::run_steps(&mut flock, 5, None);
    let state = flock.state().expect("the state comes back");
    assert!(state.position.iter().all(|p| p.is_finite()));
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

#[test]
fn a_barrier_left_out_is_reported() {
    let Some(device) = common::validated_device() else { return };
    let mut flock = common::flock(&device, &settings());
    common::run_steps(&mut flock, 1, Some("scatter-to-steer"));
    let messages = device.instance().messages().all();
    assert!(messages.iter().any(|m| m.id.starts_with("SYNC-HAZARD")), "the canary was not seen: {messages:#?}");
}
