//! The cull pass against its CPU twin.

mod common;

use starlings::flock::Settings;
use starlings::flock::buffers::CELL_STARTS;
use starlings::limits::{DRAW_FAR, DRAW_NEAR, DRAW_TARGETS};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::cull::{Fate, cull};
use starlings::render::layout::{DrawCommand, VisibleBoid};
use starlings::render::{Camera, View};
use starlings::vk::RecordOptions;

const SIZE: (u32, u32) = (320, 180);

/// Draws `settings` from `camera` after a few steps and compares the lists with those of the twin.
fn check(settings: &Settings, camera: Camera) -> [usize; 3] {
    let Some(device) = common::device() else { return [1; 3] };
    let mut offscreen = Offscreen::new(&device, settings, SIZE.0, SIZE.1).expect("a small picture fits");
    offscreen.draw(&Shot { camera, steps: 3, options: RecordOptions::default() }).expect("a frame");
    let boids = settings.boids as usize;
    let state = offscreen.flock().state().expect("the state comes back");
    let cells = offscreen.flock().grid().cell_count as usize;
    let cell_starts: Vec<u32> =
        offscreen.flock().buffers()[CELL_STARTS].download(0, cells + 1).expect("the starts come back");
    let view = View { camera, width: SIZE.0, height: SIZE.1, extrapolate: 0.0 };
    let params = offscreen.scene().params(offscreen.flock(), &view);
    let scene = offscreen.scene();
    let draws: Vec<DrawCommand> = scene.draw_commands().download(0, 3).expect("the draws come back");
    let visible: Vec<VisibleBoid> = scene.visible_boids().download(0, boids).expect("the lists come back");
    let listed = |draw: u32| {
        let draw = draws[draw as usize];
        let first = draw.first_instance as usize;
        &visible[first..first + draw.instance_count as usize]
    };
    let (near, far) = (listed(DRAW_NEAR), listed(DRAW_FAR));
    assert_eq!(draws[DRAW_NEAR as usize].first_instance, 0, "near boids fill the list from its front");
    assert_eq!(draws[DRAW_FAR as usize].first_instance as usize + far.len(), boids, "far ones from its end");
    assert_eq!(draws[DRAW_TARGETS as usize].instance_count, settings.targets);

    let mut fates = vec![(Fate::Hidden, 0); boids];
    for (list, fate) in [(near, Fate::Near), (far, Fate::Far)] {
        for visible in list {
            let listed = &mut fates[visible.boid as usize];
            assert_eq!(listed.0, Fate::Hidden, "boid {} is listed twice", visible.boid);
            *listed = (fate, visible.light);
        }
    }
    let expected = cull(&params, &state, &cell_starts);
    let mut other_fate = 0;
    let mut other_light = 0;
    let mut counts = [0; 3];
    for ((fate, light), (expected_fate, expected_light)) in fates.into_iter().zip(expected) {
        counts[expected_fate as usize] += 1;
        other_fate += usize::from(fate != expected_fate);
        if fate == expected_fate && fate != Fate::Hidden {
            let light = [light & 0xffff, light >> 16].map(|half| half as f32 / 65535.0);
            let apart = (light[0] - expected_light.x).abs().max((light[1] - expected_light.y).abs());
            other_light += usize::from(apart > 1e-3);
        }
    }
    // A boid on a frustum plane, or a shadow sample on a cell's border, may be rounded the other way.
    assert!(other_fate * 500 <= boids, "{other_fate} boids have another fate than in the twin");
    assert!(other_light * 100 <= boids, "{other_light} boids have another light than in the twin");
    counts
}

#[test]
fn a_far_view_lists_what_the_twin_lists() {
    for (preset, boids) in [("counting-sort", 20_001), ("reynolds", 257)] {
        let settings = Settings::preset(preset).expect("a known preset").with_boids(boids);
        let camera = Camera::fit(&settings.world, 16.0 / 9.0);
        let [_, near, far] = check(&settings, camera);
        assert!(near + far > 0, "{preset}: nothing is seen");
    }
}

#[test]
fn a_view_from_inside_hides_some_and_shows_both_meshes() {
    let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(20_000);
    let camera = Camera { distance: 8.0, ..Camera::fit(&settings.world, 16.0 / 9.0) };
    let [hidden, near, far] = check(&settings, camera);
    assert!(hidden > 0 && near > 0 && far > 0, "{hidden} hidden, {near} near, {far} far");
}

#[test]
fn a_flock_of_tiny_boids_is_thinned_out() {
    let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(20_000);
    let fit = Camera::fit(&settings.world, 16.0 / 9.0);
    let [hidden, near, far] = check(&settings, Camera { distance: 40.0 * fit.distance, ..fit });
    assert_eq!(near, 0);
    assert!(far > 0 && hidden > far, "{hidden} hidden, {far} far");
}
