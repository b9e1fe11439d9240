//! The whole step on a device under validation, and proof that the validation would have noticed.

mod common;

use starlings::flock::Settings;

fn settings() -> Settings {
    Settings::preset("reynolds").expect("a known preset").with_boids(3_000)
}

#[test]
fn a_run_of_steps_is_clean_under_core_and_synchronization_validation() {
    let Some(device) = common::validated_device() else { return };
    let mut simulation = common::simulation(&device, &settings(), None);
    simulation.advance(5).and_then(|()| simulation.wait()).expect("five steps");
    let state = simulation.flock().state().expect("the state comes back");
    assert!(state.position.iter().all(|p| p.is_finite()));
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

#[test]
fn a_barrier_left_out_is_reported() {
    let Some(device) = common::validated_device() else { return };
    let mut simulation = common::simulation(&device, &settings(), Some("scatter-to-steer"));
    simulation.advance(1).and_then(|()| simulation.wait()).expect("a step");
    let messages = device.instance().messages().all();
    assert!(messages.iter().any(|m| m.id.starts_with("SYNC-HAZARD")), "the canary was not seen: {messages:#?}");
}
