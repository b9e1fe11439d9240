//! The cull pass against its CPU twin: which boids it lists, and the depth of every sample that it draws. Likewise the
//! mirror image.

mod common;

use starlings::flock::buffers::CELL_STARTS;
use starlings::flock::kinds::Kind;
use starlings::flock::random::{self, Stream};
use starlings::flock::{Settings, SpawnShape, States};
use starlings::limits::{DRAW_NEAR, DRAW_TARGETS, MIRROR_BOIDS, MIRROR_HEIGHT, MIRROR_WIDTH, SAMPLES};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::cull::{Fate, cull};
use starlings::reference::mirror::mirror;
use starlings::reference::splat::depths;
use starlings::render::clips::Figure;
use starlings::render::layout::{DrawCommand, VisibleBoid};
use starlings::render::look::{SHAPES, Shape};
use starlings::render::{Camera, Look, View};
use starlings::vk::{Device, DeviceOptions, RecordOptions};
use std::collections::HashMap;
use std::sync::Arc;

const SIZE: (u32, u32) = (320, 180);

/// Boids with each fate: hidden, near, small, points.
#[derive(Debug, Default)]
struct Fates {
    hidden: usize,
    near: usize,
    small: usize,
    points: usize,
    /// Samples that were compared and covered, if nothing but `cull` drew.
    covered: Option<usize>,
}

/// Draws the flock of `settings` as `shape` from `camera` after a few steps, and compares the list of near boids with
/// the twin's; and, if there are none, the samples.
fn check(device: &Arc<Device>, settings: &Settings, shape: Shape, camera: Camera) -> Fates {
    let fates = check_in(1, device, settings, shape, camera);
    assert!(fates.covered.is_none_or(|covered| covered > 100), "a poor test: {fates:?}");
    fates
}

/// The same, with so many batches of boids for each workgroup.
fn check_in(batches: u32, device: &Arc<Device>, settings: &Settings, shape: Shape, camera: Camera) -> Fates {
    let usual = Look::of(settings);
    // Boids with states are large, and drawn as the coarse mesh: so that their posture is seen.
    let lod_pixels = if settings.states.is_on() { 100.0 } else { usual.lod_pixels };
    let look = Look { shape, targets: true, lod_pixels, ..usual };
    let mut offscreen = Offscreen::with_look(device, settings, look, SIZE.0, SIZE.1).expect("a small picture fits");
    offscreen.scene_mut().set_batches(batches);
    // States change in the course of time.
    for _ in 0..if settings.states.is_on() { 40 } else { 1 } {
        offscreen.draw(&Shot { camera, steps: 3, options: RecordOptions::default() }).expect("a frame");
    }
    let state = offscreen.flock().state().expect("the state comes back");
    let cells = offscreen.flock().grid().cell_count as usize;
    let starts: Vec<u32> =
        offscreen.flock().buffers()[CELL_STARTS].download(0, cells + 1).expect("the starts come back");
    let behaviors = offscreen.flock().behaviors().expect("the states come back");
    let view = View::of(camera, SIZE.0, SIZE.1);
    let params = offscreen.scene().params(offscreen.flock(), &view);
    let figure = Figure::of(shape);
    let far = &figure.far;
    let expected = cull((&params, &settings.obstacles), far, figure.pose, &state, &starts);

    let draws: Vec<DrawCommand> = offscreen
        .scene()
        .draw_commands()
        .download(0, if settings.targets > 0 { 2 } else { 1 })
        .expect("the draws come back");
    let count = draws[DRAW_NEAR as usize].instance_count as usize;
    let listed: Vec<VisibleBoid> = offscreen.scene().visible_boids().download(0, count).expect("the list comes back");
    let lights: HashMap<u32, u32> = listed.iter().map(|boid| (boid.id, boid.light)).collect();
    assert_eq!(lights.len(), count, "no boid is listed twice");
    if settings.targets > 0 {
        assert_eq!(draws[DRAW_TARGETS as usize].instance_count, settings.targets);
    }

    let mut fates = Fates::default();
    let (mut other_fate, mut other_light) = (0, 0);
    for (fate, id) in expected.iter().zip(&state.id) {
        match (fate, lights.get(id)) {
            (Fate::Near(light), Some(given)) => {
                let given = [given & 0xffff, given >> 16].map(|half| half as f32 / 65535.0);
                other_light += usize::from((given[0] - light.x).abs().max((given[1] - light.y).abs()) > 1e-3);
            }
            (Fate::Near(_), None) | (_, Some(_)) => other_fate += 1,
            _ => {}
        }
        match fate {
            Fate::Hidden => fates.hidden += 1,
            Fate::Near(_) => fates.near += 1,
            Fate::Small => fates.small += 1,
            Fate::Point(_) => fates.points += 1,
        }
    }
    // A boid on a frustum plane, or a shadow's probe on a cell's border, may be rounded the other way.
    assert!(other_fate * 500 <= state.len(), "{other_fate} boids have another fate than in the twin");
    // Each boid is hidden, or listed once, or drawn into samples.
    let unlisted = fates.hidden + fates.small + fates.points;
    assert!((count + unlisted).abs_diff(state.len()) <= other_fate, "{count} listed and {unlisted} not, {fates:?}");
    assert!(other_light * 100 <= state.len(), "{other_light} boids have another light than in the twin");
    for boid in listed {
        let at = state.id.iter().position(|id| *id == boid.id).expect("a boid of the flock");
        assert_eq!((boid.position, boid.velocity), (state.position[at], state.velocity[at] * params.speed_scale));
    }
    if count == 0 && settings.targets == 0 {
        let twin = depths((&params, &settings.obstacles), far, figure.pose, &state, &starts, &behaviors);
        fates.covered = Some(compare(&depths_on_device(&offscreen), &twin));
    }
    fates
}

/// The depth of each sample of each pixel.
fn depths_on_device(offscreen: &Offscreen) -> Vec<[f32; SAMPLES as usize]> {
    let (samples, pixels) = (&offscreen.canvas().samples, (SIZE.0 * SIZE.1) as usize);
    if !offscreen.flock().device().info().wide_atomics {
        return samples.download(0, pixels).expect("the depths come back");
    }
    // The color is the lower half.
    let both: Vec<[[u32; 2]; SAMPLES as usize]> = samples.download(0, pixels).expect("the samples come back");
    both.into_iter().map(|pixel| pixel.map(|[_, depth]| f32::from_bits(depth))).collect()
}

/// Compares all samples, and counts those that are covered. One on the edge of a triangle, and a point on the edge of a
/// pixel, may be rounded the other way.
fn compare(device: &[[f32; SAMPLES as usize]], twin: &[[f32; SAMPLES as usize]]) -> usize {
    let all = || device.as_flattened().iter().zip(twin.as_flattened());
    let covered = all().filter(|(_, twin)| **twin > 0.0).count();
    let differ = |(a, b): &(&f32, &f32)| (**a - **b).abs() > 1e-3 * a.max(**b);
    let different = all().filter(differ).count();
    assert!(different * 200 <= covered + 200, "{different} of {covered} samples differ from the twin");
    covered
}

fn settings(preset: &str, boids: u32) -> Settings {
    let settings = Settings::preset(preset).expect("a known preset").with_boids(boids);
    Settings { targets: 0, spawn: SpawnShape::Box, ..settings }
}

/// A camera from which the boids of `settings`, drawn as by default, are so many pixels long at the center of the
/// world.
fn camera(settings: &Settings, pixels: f32) -> Camera {
    let camera = Camera::fit(&settings.world, 16.0 / 9.0);
    let (_, tan_y) = camera.tangents(16.0 / 9.0);
    let distance = Look::of(settings).boid_length * SIZE.1 as f32 / (2.0 * tan_y * pixels);
    Camera { distance, ..camera }
}

#[test]
fn boids_with_states_have_the_twins_posture() {
    let Some(device) = common::device() else { return };
    for (preset, shape, states) in
        [("counting-sort", Shape::Bird, States::Birds), ("reynolds", Shape::Fish, States::Fish)]
    {
        let settings = Settings { states, ..settings(preset, 257) };
        let fates = check(&device, &settings, shape, camera(&settings, 9.0));
        assert!(fates.small > 50 && fates.near == 0, "{preset}: {fates:?}");
    }
}

#[test]
fn a_view_from_inside_hides_some_and_lists_near_ones() {
    let Some(device) = common::device() else { return };
    for boids in [97, 257, 20_001] {
        let settings = Settings { targets: 3, ..settings("counting-sort", boids) };
        let inside = Camera { distance: 8.0, ..Camera::fit(&settings.world, 16.0 / 9.0) };
        let camera = if boids < 1_000 { camera(&settings, 12.0) } else { inside };
        let fates = check(&device, &settings, Shape::Bird, camera);
        assert!(fates.near > 0, "{boids}: {fates:?}");
        assert!(boids < 1_000 || (fates.hidden > 0 && fates.small > 0), "{boids}: {fates:?}");
    }
}

/// Obstacles shade the boids beside them.
#[test]
fn obstacles_take_light_as_in_the_twin() {
    let Some(device) = common::device() else { return };
    let settings = settings("counting-sort", 2_001);
    let edge = settings.world.half_size.x;
    for (unit, are_meshes) in [(edge, false), (0.6 * edge, true)] {
        let mut obstacles = common::obstacles::kinds(unit);
        obstacles.retain(|obstacle| obstacle.is_mesh() == are_meshes);
        let settings = Settings { obstacles, ..settings.clone() };
        let fates = check(&device, &settings, Shape::Bird, camera(&settings, 12.0));
        assert!(fates.near > 200, "{fates:?}");
    }
}

#[test]
fn small_boids_of_every_shape_cover_the_samples_that_the_twin_does() {
    let Some(device) = common::device() else { return };
    for shape in SHAPES {
        for (preset, boids) in [("counting-sort", 1_237), ("reynolds", 3_001)] {
            let settings = settings(preset, boids);
            let fates = check(&device, &settings, shape.value, camera(&settings, 4.0));
            assert!(fates.near == 0 && fates.small > 500, "{preset}, {}: {fates:?}", shape.name);
        }
    }
}

#[test]
fn points_cover_the_samples_that_the_twin_does() {
    let Some(device) = common::device() else { return };
    for shape in SHAPES {
        let settings = settings("counting-sort", 20_001);
        let fates = check(&device, &settings, shape.value, camera(&settings, 0.9));
        assert!(fates.small == 0 && fates.points > 500 && fates.hidden > 500, "{}: {fates:?}", shape.name);
    }
}

#[test]
fn workgroups_may_look_at_several_batches() {
    let Some(device) = common::device() else { return };
    let settings = settings("counting-sort", 20_001);
    for batches in [2, 3, 16, 1_000] {
        for pixels in [0.3, 0.9, 2.0, 4.0] {
            check_in(batches, &device, &settings, Shape::Bird, camera(&settings, pixels));
        }
        let near = Camera { distance: 8.0, ..Camera::fit(&settings.world, 16.0 / 9.0) };
        let fates = check_in(batches, &device, &settings, Shape::Bird, near);
        assert!(fates.near > 0 && fates.small > 0, "{fates:?}");
    }
}

#[test]
fn devices_without_wide_atomics_and_flocks_by_address_are_drawn_alike() {
    let settings = settings("reynolds", 3_001);
    for (narrow, by_address) in [(true, false), (false, true), (true, true)] {
        let options = DeviceOptions { narrow, by_address, ..DeviceOptions::default() };
        let Some(device) = common::device_with(&options) else { return };
        for pixels in [0.9, 4.0] {
            check(&device, &settings, Shape::Fish, camera(&settings, pixels));
        }
    }
}

/// In the flock, beside it and far away, in any direction, through narrow and wide lenses.
fn random_camera(settings: &Settings, shot: u64) -> Camera {
    let [place, way, lens] = [0, 1, 2].map(|k| random::in_cube(14, Stream::Position, shot, k));
    let fit = Camera::fit(&settings.world, 16.0 / 9.0);
    Camera {
        center: settings.world.center + settings.world.half_size * place,
        yaw: 3.1 * way.x,
        pitch: 1.5 * way.y,
        distance: fit.distance * (4.0 * way.z - 2.0).exp(),
        vertical_fov: 0.75 * lens.x.exp(),
    }
}

#[test]
fn random_cameras_have_the_twins_lists_and_samples() {
    let Some(device) = common::device() else { return };
    let mut sums = Fates::default();
    let mut covered = 0;
    for shot in 0..40 {
        let (preset, shape) = [("counting-sort", Shape::Bird), ("reynolds", Shape::Fish)][shot as usize % 2];
        let settings = settings(preset, 3_001);
        let fates = check_in(1, &device, &settings, shape, random_camera(&settings, shot));
        for (sum, count) in [
            (&mut sums.hidden, fates.hidden),
            (&mut sums.near, fates.near),
            (&mut sums.small, fates.small),
            (&mut sums.points, fates.points),
            (&mut covered, fates.covered.unwrap_or(0)),
        ] {
            *sum += count;
        }
    }
    // They have seen all of it.
    assert!(sums.hidden > 20_000 && sums.near > 2_000 && sums.small > 2_000 && sums.points > 2_000, "{sums:?}");
    assert!(covered > 10_000, "{covered}");
}

/// Depths and colors of all samples, on a device with 64-bit atomics and without: meshes, triangles of `cull`, points
/// and targets.
#[test]
fn two_rounds_of_32_bits_find_the_colors_of_one_round_of_64() {
    let samples = |narrow: bool, shape: Shape, settings: &Settings, pixels: f32| {
        let device = common::device_with(&DeviceOptions { narrow, ..DeviceOptions::default() })?;
        let wide = device.info().wide_atomics;
        let look = Look { shape, targets: true, ..Look::of(settings) };
        let mut offscreen =
            Offscreen::with_look(&device, settings, look, SIZE.0, SIZE.1).expect("a small picture fits");
        let camera = camera(settings, pixels);
        offscreen.draw(&Shot { camera, steps: 5, options: RecordOptions::default() }).expect("a frame");
        let count = (SIZE.0 * SIZE.1 * SAMPLES) as usize;
        let words: Vec<u32> = offscreen.canvas().samples.download(0, 2 * count).expect("the samples come back");
        let pairs =
            (0..count).map(|at| if wide { [words[2 * at], words[2 * at + 1]] } else { [words[count + at], words[at]] });
        Some((wide, pairs.collect::<Vec<[u32; 2]>>()))
    };
    for (preset, shape) in [("counting-sort", Shape::Bird), ("reynolds", Shape::Fish)] {
        for pixels in [0.9, 4.0, 25.0] {
            let settings = Settings { targets: 5, ..settings(preset, 3_001) };
            let Some((narrow_has, narrow)) = samples(true, shape, &settings, pixels) else { return };
            let Some((true, wide)) = samples(false, shape, &settings, pixels) else { return };
            assert!(!narrow_has);
            let covered = wide.iter().filter(|[_, depth]| *depth != 0).count();
            let different = wide.iter().zip(&narrow).filter(|(wide, narrow)| wide != narrow).count();
            assert!(covered > 1_000, "{preset}, {pixels}: {covered} samples are a poor test");
            assert_eq!(different, 0, "{preset}, {pixels} pixels: of {covered} covered samples");
        }
    }
}

/// Two kinds, of which one is large.
fn kinds() -> Vec<Kind> {
    ["a:3", "b:1,size=3"].map(|kind| Kind::parse(kind).expect("a kind")).into()
}

#[test]
fn the_flocks_mirror_image_is_the_twins() {
    for by_address in [false, true] {
        let options = DeviceOptions { by_address, ..DeviceOptions::default() };
        let Some(device) = common::device_with(&options) else { return };
        if by_address && !device.info().device_addresses {
            continue;
        }
        for boids in [1, 257, 20_001, MIRROR_BOIDS + 77, 2 * MIRROR_BOIDS + 1] {
            let settings = Settings { kinds: kinds(), ..settings("counting-sort", boids) };
            let fit = Camera::fit(&settings.world, 16.0 / 9.0);
            // Looking down from within, at the edge of the flock, and from afar; for the largest flocks the first is
            // enough.
            let cameras =
                [Camera { distance: 1.0, pitch: -0.5, ..fit }, Camera { distance: 0.4 * fit.distance, ..fit }, fit];
            for &camera in &cameras[..if boids > MIRROR_BOIDS { 1 } else { 3 }] {
                let look = Look::of(&settings);
                let mut offscreen =
                    Offscreen::with_look(&device, &settings, look, SIZE.0, SIZE.1).expect("a small picture fits");
                offscreen.draw(&Shot { camera, steps: 0, options: RecordOptions::default() }).expect("a frame");
                let texels = (MIRROR_WIDTH * MIRROR_HEIGHT) as usize;
                let found: Vec<u32> = offscreen.canvas().mirror.download(0, texels).expect("the image comes back");
                let params = offscreen.scene().params(offscreen.flock(), &View::of(camera, SIZE.0, SIZE.1));
                let twin = mirror(&params, &offscreen.flock().state().expect("the state comes back"));
                let sum = |image: &[u32]| image.iter().map(|&count| u64::from(count)).sum::<u64>();
                // A boid that is rounded to another texel differs in two.
                let moved: u64 = found.iter().zip(&twin).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                assert!(moved * 200 <= sum(&twin), "{boids}: {moved} of {}", sum(&twin));
                assert!(boids < 20_000 || sum(&twin) > 1_000, "{boids}: {} is a poor test", sum(&twin));
            }
        }
    }
}
