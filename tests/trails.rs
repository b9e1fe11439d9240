//! Trails: the recorded history, the list of visible trails, and the drawn ribbons.

mod common;

use glam::{Vec3, vec3};
use starlings::flock::{BoidState, Settings, Walls};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::trails::{trail_cull, trail_record};
use starlings::render::layout::{DrawCommand, TrailSample};
use starlings::render::look::{Backdrop, Shape};
use starlings::render::trails::{Moments, Sampling, Trails};
use starlings::render::{Camera, Look, View};
use starlings::vk::{Device, RecordOptions};
use std::sync::Arc;

/// Edge of a picture, in pixels.
const EDGE: u32 = 300;

/// A flock whose boids fly straight on: no rule has any weight.
fn straight_on(boids: u32) -> Settings {
    let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight, rules.wall_weight) = (0.0, 0.0, 0.0, 0.0);
    settings
}

fn trails(offscreen: &Offscreen) -> &Trails {
    offscreen.scene().trails().expect("the look has trails")
}

fn fly(offscreen: &mut Offscreen, camera: Camera, steps: u32) -> Vec<u8> {
    offscreen.draw(&Shot { camera, steps, options: RecordOptions::default() }).expect("a frame").0
}

fn history(offscreen: &Offscreen, boids: u32, seconds: f32) -> Vec<TrailSample> {
    let slots = Sampling::of(offscreen.flock().settings(), seconds).slots;
    trails(offscreen).history.download(0, (slots * boids) as usize).expect("the history comes back")
}

#[test]
fn history_and_list_are_those_of_the_twins() {
    let Some(device) = common::validated_device() else { return };
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(501);
    let seconds = 0.3;
    let look = Look { trail: seconds, ..Look::of(&settings) };
    let mut offscreen = Offscreen::with_look(&device, &settings, look, EDGE, EDGE).expect("a small picture fits");
    let camera = Camera { distance: 6.0, ..Camera::fit(&settings.world, 1.0) };
    let mut moments = Moments::new(&settings, seconds, settings.rules.max_speed);
    let slots = moments.sampling.slots;
    let mut expected = vec![TrailSample { position: Vec3::ZERO, since: 0 }; (slots * settings.boids) as usize];
    let mut before = offscreen.flock().state().expect("the state comes back");
    let mut broken = 0;
    for step in 1..=30 {
        if step == 20 {
            // Every other boid is moved across the world, as with walls that wrap.
            let step = offscreen.flock().step();
            before.position.iter_mut().step_by(2).for_each(|position| position.x += 2.0 * settings.world.half_size.x);
            offscreen.flock_mut().set_state_at(&before, step).expect("a state of all boids");
        }
        fly(&mut offscreen, camera, 1);
        let after = offscreen.flock().state().expect("the state comes back");
        for recording in moments.advance(step, 1) {
            trail_record(&mut expected, &recording.step, if recording.after == 0 { &before } else { &after });
            if step == 20 {
                let now = &expected[(recording.step.slot * settings.boids) as usize..][..settings.boids as usize];
                broken = now.iter().filter(|sample| sample.since == step).count();
            }
        }
        before = after;
    }
    assert_eq!(history(&offscreen, settings.boids, seconds), expected);
    // Boids outside of the box fly back in by less than that.
    assert_eq!(broken, 251, "trails of boids that were carried off break");
    let unbroken = expected.iter().filter(|sample| sample.since == 0).count();
    assert!(unbroken > 1_000, "only {unbroken} samples of unbroken trails");

    let view = View::of(camera, EDGE, EDGE);
    let params = offscreen.scene().params(offscreen.flock(), &view);
    let seen = trail_cull(&params, &before);
    let draw: Vec<DrawCommand> = trails(&offscreen).commands.download(0, 1).expect("the draw comes back");
    let count = draw[0].instance_count as usize;
    let list: Vec<u32> = trails(&offscreen).list.download(0, count).expect("the list comes back");
    let mut listed = vec![0; settings.boids as usize];
    list.iter().for_each(|&boid| listed[boid as usize] += 1);
    assert!(listed.iter().all(|&times| times <= 1), "a trail is listed twice");
    let other = listed.iter().zip(&seen).filter(|(times, seen)| (**times == 1) != **seen).count();
    // A trail on a plane of the frustum may be rounded the other way.
    assert!(other <= 1, "{other} trails are listed and should not be, or should be and are not");
    assert!(count > 50 && count < settings.boids as usize - 50, "{count} of {} trails", settings.boids);
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

/// A boid that flies through a wall that wraps is where it would be in the next world.
#[test]
fn trails_lead_through_walls_that_wrap() {
    let Some(device) = common::device() else { return };
    let settings = Settings { walls: Walls::Wrap, ..straight_on(64) };
    let seconds = 0.5;
    let look = Look { trail: seconds, ..Look::of(&settings) };
    let mut offscreen = Offscreen::with_look(&device, &settings, look, EDGE, EDGE).expect("a small picture fits");
    let start = offscreen.flock().state().expect("the state comes back").by_id();
    (0..40).for_each(|_| drop(fly(&mut offscreen, Camera::fit(&settings.world, 1.0), 1)));
    let end = offscreen.flock().state().expect("the state comes back").by_id();
    let through = start.position.iter().zip(&end.position).filter(|(a, b)| a.distance(**b) > 2.0).count();
    assert!(through > 5, "{through} boids flew through a wall");
    assert!(history(&offscreen, settings.boids, seconds).iter().all(|sample| sample.since == 0), "a trail broke");
}

#[test]
fn trails_do_not_depend_on_how_steps_fall_into_frames() {
    let Some(device) = common::device() else { return };
    let settings = straight_on(64);
    let seconds = 0.5;
    let look = Look { trail: seconds, ..Look::of(&settings) };
    let camera = Camera::fit(&settings.world, 1.0);
    let history_of = |frames: &[u32]| {
        let mut offscreen =
            Offscreen::with_look(&device, &settings, look.clone(), EDGE, EDGE).expect("a small picture fits");
        for &steps in frames {
            fly(&mut offscreen, camera, steps);
        }
        history(&offscreen, settings.boids, seconds)
    };
    // 33 steps fill all of the 17 slots, so no uninitialized slot is left.
    let one_by_one = history_of(&[1; 33]);
    assert_eq!(one_by_one, history_of(&[16, 16, 1]));
    assert_eq!(one_by_one, history_of(&[5, 0, 16, 11, 0, 1]));
}

/// A boid that has flown from -x to the middle of a map, with a trail behind it.
fn flown(device: &Arc<Device>, backdrop: Backdrop) -> (Offscreen, Camera) {
    let settings = straight_on(1).with_world_size(10.0);
    let look = Look { shape: Shape::Dart, trail: 0.5, ..Look::of(&settings).before(backdrop) };
    let look = Look { haze: 0.0, boid_length: 0.2, trail_width: [0.8, 0.2], ..look };
    let mut offscreen = Offscreen::with_look(device, &settings, look, EDGE, EDGE).expect("a small picture fits");
    let state = BoidState { position: vec![vec3(-4.0, 0.0, 0.0)], velocity: vec![vec3(4.0, 0.0, 0.0)], id: vec![0] };
    offscreen.flock_mut().set_state(&state).expect("a state of all boids");
    let distance = 4_000.0;
    let camera = Camera { center: Vec3::ZERO, yaw: 0.0, pitch: 0.0, distance, vertical_fov: 10.0 / distance };
    for _ in 0..4 {
        fly(&mut offscreen, camera, 15);
    }
    (offscreen, camera)
}

/// Pixels of a column at `x` world units that differ from the upper left corner.
fn drawn_in_column(picture: &[u8], x: f32) -> usize {
    let column = ((x + 5.0) / 10.0 * EDGE as f32) as usize;
    let pixel = |row: usize| &picture[4 * (row * EDGE as usize + column)..][..3];
    let differs = |row: &usize| pixel(*row).iter().zip(pixel(0)).any(|(a, b)| a.abs_diff(*b) > 4);
    (0..EDGE as usize).filter(differs).count()
}

#[test]
fn a_ribbon_tapers_over_its_seconds_and_ends_there() {
    let Some(device) = common::device() else { return };
    let (mut offscreen, camera) = flown(&device, Backdrop::Paper);
    let picture = fly(&mut offscreen, camera, 0);
    // 60 steps from -4 at 4 units a second: the boid is at 0 and its trail 2 units long, 0.8 wide here and 0.2 there.
    let widths = [-0.3, -1.0, -1.7].map(|x| drawn_in_column(&picture, x) as f32 / EDGE as f32 * 10.0);
    for (width, expected) in widths.into_iter().zip([0.71, 0.50, 0.29]) {
        assert!((width - expected).abs() < 0.07, "{widths:?}: {width} instead of {expected}");
    }
    assert_eq!(drawn_in_column(&picture, -2.1), 0, "something beyond the end");
    assert_eq!(drawn_in_column(&picture, 0.3), 0, "something before the boid");
}

#[test]
fn a_boid_that_is_carried_off_or_starts_over_leaves_no_streak() {
    let Some(device) = common::device() else { return };
    let columns = || (0..90).map(|k| -4.5 + 0.1 * k as f32);
    for carried_off in [true, false] {
        let (mut offscreen, camera) = flown(&device, Backdrop::Dusk);
        let (x, velocity) = (-3.0, vec3(4.0, 0.0, 0.0));
        let state = BoidState { position: vec![vec3(x, 3.0, 0.0)], velocity: vec![velocity], id: vec![0] };
        let step = if carried_off { offscreen.flock().step() } else { 0 };
        offscreen.flock_mut().set_state_at(&state, step).expect("a state of all boids");
        // In that frame, and in those after.
        for steps in [0, 1, 1, 6] {
            let settings = offscreen.flock().settings().clone();
            let mut plain = Offscreen::with_look(
                &device,
                &settings,
                Look { trail: 0.0, ..offscreen.scene().look().clone() },
                EDGE,
                EDGE,
            )
            .expect("a small picture fits");
            let picture = fly(&mut offscreen, camera, steps);
            let now = offscreen.flock().state().expect("the state comes back");
            let step = offscreen.flock().step();
            plain.flock_mut().set_state_at(&now, step).expect("a state of all boids");
            let without = fly(&mut plain, camera, 0);
            let (begin, end) = (x - 0.1, now.position[0].x + 0.2);
            for column in columns().filter(|column| *column < begin || *column > end) {
                let at = ((column + 5.0) / 10.0 * EDGE as f32) as usize;
                for row in 0..EDGE as usize {
                    let place = 4 * (row * EDGE as usize + at);
                    let same = picture[place..place + 3]
                        .iter()
                        .zip(&without[place..place + 3])
                        .all(|(a, b)| a.abs_diff(*b) < 3);
                    assert!(same, "a streak at {column}, {steps} steps on, carried off: {carried_off}");
                }
            }
        }
    }
}

#[test]
fn without_trails_there_are_no_passes_and_no_memory_of_theirs() {
    let Some(device) = common::device() else { return };
    let settings = straight_on(10);
    let look = Look { trail: 0.0, ..Look::of(&settings) };
    let mut offscreen = Offscreen::with_look(&device, &settings, look, EDGE, EDGE).expect("a small picture fits");
    assert!(offscreen.scene().trails().is_none());
    let options = RecordOptions { journal: true, ..RecordOptions::default() };
    let shot = Shot { camera: Camera::fit(&settings.world, 1.0), steps: 2, options };
    let journal = offscreen.draw(&shot).expect("a frame").1.expect("a journal");
    assert!(journal.passes().all(|pass| !pass.name.contains("trail")));
    assert!(journal.dependencies().all(|dependency| !dependency.name.contains("trail")));
}
