//! Whole steps and frames on a device under validation, and a test that validation reports a missing barrier.

mod common;

use glam::Vec3;
use starlings::flock::search::SEARCHES;
use starlings::flock::{EngineKind, Observation, Search, Settings, Walls};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::look::Shape;
use starlings::render::{Camera, Look};
use starlings::vk::RecordOptions;

fn settings() -> Settings {
    Settings::preset("reynolds").expect("a known preset").with_boids(3_000)
}

#[test]
fn a_run_of_steps_is_clean_under_core_and_synchronization_validation() {
    let Some(device) = common::validated_device() else { return };
    for info in SEARCHES {
        let settings = Settings { search: info.search, ..settings() };
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.advance(5).and_then(|()| simulation.wait()).expect("five steps");
        let state = simulation.flock().state().expect("the state comes back");
        assert!(state.position.iter().all(|p| p.is_finite()));
        let messages = device.instance().messages().all();
        assert!(messages.is_empty(), "{}: {messages:#?}", info.name);
    }
}

#[test]
fn a_barrier_left_out_is_reported() {
    for (search, omitted) in [
        (Search::SortedGrid, "scatter-to-steer"),
        (Search::AllPairs, "copy-to-steer"),
        (Search::BitonicGrid, "sorted-to-exchange"),
        (Search::BitonicGrid, "exchange-to-merge"),
        (Search::BitonicGrid, "gather-to-steer"),
    ] {
        let Some(device) = common::validated_device() else { return };
        let settings = Settings { search, ..settings() };
        let mut simulation = common::simulation(&device, &settings, Some(omitted));
        simulation.advance(1).and_then(|()| simulation.wait()).expect("a step");
        let messages = device.instance().messages().all();
        assert!(messages.iter().any(|m| m.id.starts_with("SYNC-HAZARD")), "{omitted} was not missed: {messages:#?}");
    }
}

#[test]
fn whole_frames_are_clean_under_validation_and_show_the_flock() {
    let Some(device) = common::validated_device() else { return };
    let presets = ["counting-sort", "reynolds"].map(|preset| (preset, Search::SortedGrid));
    let searches = SEARCHES[1..].iter().map(|info| ("reynolds", info.search));
    for (preset, search) in presets.into_iter().chain(searches) {
        let settings = Settings::preset(preset).expect("a known preset").with_boids(2_000);
        let settings = Settings { search, ..settings };
        let mut offscreen = Offscreen::new(&device, &settings, 320, 180).expect("a small picture fits");
        let camera = Camera::fit(&settings.world, 320.0 / 180.0);
        let mut pictures = Vec::new();
        for steps in [0, 1, 3, 0] {
            let shot = Shot { camera, steps, options: RecordOptions::default() };
            pictures.push(offscreen.draw(&shot).expect("a frame").0);
        }
        // Each frame shows something, steps change it, and a frame without steps repeats the previous one.
        for picture in &pictures {
            let first = &picture[..4];
            assert!(picture.chunks_exact(4).any(|pixel| pixel != first), "{preset} by {search}: an empty picture");
        }
        assert_ne!(pictures[0], pictures[1], "{preset} by {search}");
        assert_ne!(pictures[1], pictures[2], "{preset} by {search}");
        let differing = pictures[2].iter().zip(&pictures[3]).filter(|(a, b)| a != b).count();
        assert!(differing * 100 < pictures[2].len(), "{preset} by {search}: {differing} bytes differ without a step");
        let messages = device.instance().messages().all();
        assert!(messages.is_empty(), "{preset} by {search}: {messages:#?}");
    }
}

/// The optional parts of a frame, with each kind of stepper: walls that turn boids, a plane, a leader and other
/// influences, order parameters, trails, fish, and the picture of a cell.
#[test]
fn frames_with_optional_parts_are_clean_under_validation() {
    let Some(device) = common::validated_device() else { return };
    for (preset, search, walls, plane, influenced, observes) in [
        ("bitonic", Search::BitonicGrid, Walls::Bounce, false, false, true),
        ("three-radius", Search::BitonicGrid, Walls::Bounce, true, true, true),
        ("three-radius", Search::Tiles, Walls::Push, true, true, true),
        ("reynolds", Search::QuantizedGrid, Walls::Wrap, false, true, true),
        ("counting-sort", Search::Cells27, Walls::Bounce, true, false, false),
        ("cursor", Search::AllPairs, Walls::Wrap, false, false, true),
    ] {
        let settings = Settings::preset(preset).expect("a known preset").with_boids(700).with_plane(plane);
        let mut settings = Settings { engine: EngineKind::Gpu, search, walls, ..settings };
        if influenced {
            (settings.leader, settings.targets, settings.current) = (Some(5), 3, Vec3::new(0.5, 0.0, -0.25));
        }
        settings.validate().expect("valid settings");
        let look = Look { trail: 0.2, ..Look::of(&settings) };
        let look = if influenced { Look { shape: Shape::Fish, ..look } } else { look };
        let mut offscreen = Offscreen::with_look(&device, &settings, look, 160, 90).expect("a small picture fits");
        if observes {
            offscreen.observe(Some(Observation::Order)).expect("it fits");
        }
        let camera = Camera::fit(&settings.world, 160.0 / 90.0);
        let case = format!("{preset} by {search}, {walls}");
        let before = offscreen.flock().state().expect("the state comes back").by_id();
        for steps in [2, 0, 1] {
            let shot = Shot { camera, steps, options: RecordOptions::default() };
            let (picture, _) = offscreen.draw(&shot).expect("a frame");
            assert!(picture.chunks_exact(4).any(|pixel| pixel != &picture[..4]), "{case}: an empty picture");
        }
        let after = offscreen.flock().state().expect("the state comes back").by_id();
        assert!(before.id == after.id, "{case}: nobody is lost, and nobody there twice");
        for (was, is) in before.position.iter().zip(&after.position) {
            assert!(is.is_finite() && was != is && (!plane || was.y == is.y), "{case}: from {was} to {is}");
        }
        if observes {
            let order = offscreen.order().expect("it was asked for");
            assert!(order.step == 2 && order.polarization > 0.0 && order.neighbors > 0.0, "{case}: {order:?}");
        }
        let messages = device.instance().messages().all();
        assert!(messages.is_empty(), "{case}: {messages:#?}");
    }
}
