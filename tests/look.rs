//! The drawn shapes, colors and the picture of a cell, counted in pixels.

mod common;

use glam::{UVec3, Vec3, vec3};
use starlings::flock::{BoidState, EngineKind, Search, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::coloring::{Place, place, random_color};
use starlings::render::look::{Backdrop, Coloring, SHAPES, Shape};
use starlings::render::{Camera, Look, cells, palette};
use starlings::vk::{Device, RecordOptions};
use std::sync::Arc;

/// Edge of a picture, in pixels.
const EDGE: u32 = 400;

/// Boids along an edge of a lattice.
const ALONG: u32 = 18;

/// A flock that stands still: no rule has any weight.
fn still(boids: u32) -> Settings {
    let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight, rules.wall_weight) = (0.0, 0.0, 0.0, 0.0);
    settings
}

/// A camera so far away that it sees the world almost as a map, looking along -z.
fn map_of(settings: &Settings) -> Camera {
    let half = settings.world.half_size.max_element();
    let distance = 400.0 * half;
    Camera { center: settings.world.center, yaw: 0.0, pitch: 0.0, distance, vertical_fov: 2.4 * half / distance }
}

fn pixel(picture: &[u8], camera: &Camera, place: Vec3) -> [u8; 3] {
    let clip = camera.view_projection(1.0) * place.extend(1.0);
    let at = |ndc: f32| (((0.5 + 0.5 * ndc / clip.w) * EDGE as f32) as u32).min(EDGE - 1);
    let first = 4 * (at(clip.y) * EDGE + at(clip.x)) as usize;
    [picture[first], picture[first + 1], picture[first + 2]]
}

/// Whether a pixel differs from the paper by more than its grain, one step of eight bits.
fn is_drawn(pixel: [u8; 3], paper: [u8; 3]) -> bool {
    pixel.into_iter().zip(paper).any(|(a, b)| a.abs_diff(b) > 4)
}

/// Boids in a lattice, as seen on the map, at any depth; in an order different from their identities'.
fn lattice(settings: &Settings) -> BoidState {
    let mut state = BoidState::default();
    for k in 0..ALONG * ALONG {
        let id = (k * 35 + 7) % (ALONG * ALONG);
        let share = |at: u32| (at as f32 + 0.5) / ALONG as f32 * 2.0 - 1.0;
        let depth = id.wrapping_mul(2_654_435_761) as f32 / u32::MAX as f32 * 2.0 - 1.0;
        let place = vec3(share(id % ALONG), share(id / ALONG), depth);
        state.position.push(settings.world.center + settings.world.half_size * place);
        state.velocity.push(Vec3::ZERO);
        state.id.push(id);
    }
    state
}

/// Draws the lattice as dots on paper, after steps in which boids are sorted but do not move.
fn draw_lattice(device: &Arc<Device>, settings: &Settings, look: Look) -> (Vec<u8>, BoidState) {
    let (picture, state, _) = draw_in_range(device, settings, look);
    (picture, state)
}

/// The same, with the values of the first and of the last color.
fn draw_in_range(device: &Arc<Device>, settings: &Settings, look: Look) -> (Vec<u8>, BoidState, Option<[f32; 2]>) {
    let mut offscreen = Offscreen::with_look(device, settings, look, EDGE, EDGE).expect("a small picture fits");
    offscreen.flock_mut().set_state(&lattice(settings)).expect("a state of all boids");
    let shot = Shot { camera: map_of(settings), steps: 2, options: RecordOptions::default() };
    let (picture, _) = offscreen.draw(&shot).expect("a frame");
    (picture, offscreen.flock().state().expect("the state comes back"), offscreen.scene().color_range())
}

fn on_paper(settings: &Settings, color: Coloring) -> Look {
    let look = Look { shape: Shape::Dot, color, ..Look::of(settings).before(Backdrop::Paper) };
    let spacing = 2.0 * settings.world.half_size.x / ALONG as f32;
    Look { haze: 0.0, boid_length: spacing, ..look }
}

#[test]
fn exactly_the_boids_of_the_27_cells_are_lit() {
    let Some(device) = common::device() else { return };
    for search in [Search::BitonicGrid, Search::QuantizedGrid] {
        let settings = Settings { search, ..still(ALONG * ALONG) };
        let grid = cells(&settings);
        assert!(grid.dims.min_element() >= 4, "cells of all kinds: {}", grid.dims);
        for cell in [grid.dims / 2, UVec3::ZERO, grid.dims - 1, UVec3::new(0, 2, 1)] {
            let look = Look { cell, ..on_paper(&settings, Coloring::Cell) };
            let (picture, state) = draw_lattice(&device, &settings, look);
            if search == Search::BitonicGrid {
                let moved = state.id.iter().zip(lattice(&settings).id).filter(|(now, then)| **now != *then).count();
                assert!(moved > 250, "only {moved} boids were re-ordered, so that an old index might do");
            }
            let mut counts = [0; 3];
            for (&position, id) in state.position.iter().zip(&state.id) {
                let shown = match pixel(&picture, &map_of(&settings), position) {
                    [200..=255, 0..60, 0..60] => Place::Picked,
                    [0..60, 180..=255, 180..=255] => Place::Around,
                    [0..60, 0..60, 0..60] => Place::Elsewhere,
                    other => panic!("boid {id} is {other:?}"),
                };
                let expected = place(&grid, cell, position);
                counts[expected as usize] += 1;
                assert_eq!(shown, expected, "boid {id} at {position}, cell {cell}, {search}");
            }
            assert!(counts.iter().all(|&count| count > 0), "{counts:?} boids in, around and outside of {cell}");
        }
    }
}

#[test]
fn random_colors_are_never_too_dark() {
    let Some(device) = common::device() else { return };
    let settings = still(ALONG * ALONG);
    let (picture, state) = draw_lattice(&device, &settings, on_paper(&settings, Coloring::Random));
    let mut dark = 0;
    for (&position, &id) in state.position.iter().zip(&state.id) {
        let shown = pixel(&picture, &map_of(&settings), position).map(f32::from);
        let expected = random_color(id) * 255.0;
        assert!(Vec3::from_array(shown).abs_diff_eq(expected, 1.5), "boid {id} is {shown:?} instead of {expected}");
        // Each of the three is rounded to a whole number.
        dark += usize::from(shown.iter().sum::<f32>() < 255.0 - 1.5);
    }
    assert_eq!(dark, 0, "boids whose red, green and blue do not add up to 1");
}

/// The number that this share of whole numbers is below, each spread over those that round to it.
fn percentile(numbers: &[usize], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let wanted = share * sorted.len() as f64;
    let at = sorted[(wanted as usize).min(sorted.len() - 1)];
    let (before, of) = (sorted.partition_point(|&n| n < at), sorted.iter().filter(|&&n| n == at).count());
    let value = at as f64 - 0.5 + (wanted - before as f64) / of as f64;
    value.clamp(sorted[0] as f64, sorted[sorted.len() - 1] as f64)
}

#[test]
fn colors_of_crowds_are_those_of_the_neighbors_counted() {
    let Some(device) = common::device() else { return };
    let settings = still(ALONG * ALONG);
    let radius = settings.search_radius();
    let fixed = Some([0.0, 2.0 * settings.mean_neighbors()]);
    for color_range in [None, fixed, Some([3.0, 3.5])] {
        let look = Look { color_range, ..on_paper(&settings, Coloring::Neighbors) };
        let (picture, state, range) = draw_in_range(&device, &settings, look);
        let near =
            |position: Vec3| state.position.iter().filter(|other| position.distance(**other) <= radius).count() - 1;
        let neighbors: Vec<usize> = state.position.iter().map(|&position| near(position)).collect();
        let [low, high] = range.expect("they stand for amounts");
        match color_range {
            Some(_) => assert_eq!(range, color_range),
            None => {
                for (got, share) in [(low, 0.05), (high, 0.95)] {
                    let want = percentile(&neighbors, share);
                    assert!((f64::from(got) - want).abs() < 1e-3, "{share} of the boids are below {got}, not {want}");
                }
            }
        }
        let ramp = palette::amounts();
        for ((&position, id), &near) in state.position.iter().zip(&state.id).zip(&neighbors) {
            let place = ((near as f32 - low) / (high - low)).clamp(0.0, 1.0) * (ramp.len() - 1) as f32;
            let below = (place as usize).min(ramp.len() - 2);
            let linear = ramp[below].lerp(ramp[below + 1], place - below as f32);
            let code = |x: f32| if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
            let expected = Vec3::from_array(linear.to_array().map(code)) * 255.0;
            let shown = Vec3::from_array(pixel(&picture, &map_of(&settings), position).map(f32::from));
            assert!(
                shown.abs_diff_eq(expected, 2.0),
                "boid {id} with {near} neighbors is {shown} instead of {expected}"
            );
        }
        let seen: std::collections::BTreeSet<usize> = neighbors.into_iter().collect();
        assert!(seen.len() > 10, "{seen:?}");
    }
}

/// The speed that this share of the boids has at most.
fn percentile_of_speeds(state: &BoidState, share: f32) -> f32 {
    let mut speeds: Vec<f32> = state.velocity.iter().map(|velocity| velocity.length()).collect();
    speeds.sort_unstable_by(f32::total_cmp);
    speeds[(share * speeds.len() as f32) as usize]
}

#[test]
fn a_still_fits_its_own_flock_whatever_was_drawn_before() {
    let Some(device) = common::device() else { return };
    for engine in [EngineKind::Gpu, EngineKind::Cpu] {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(3_000);
        let search = if engine.is_cpu() { Search::SortedGrid } else { settings.search };
        let settings = Settings { engine, search, ..settings };
        let look = Look { color: Coloring::Speed, ..Look::of(&settings) };
        let studio = || Offscreen::with_look(&device, &settings, look.clone(), 96, 96).expect("a small picture fits");
        let shot = |steps| Shot { camera: Camera::of(&settings, 1.0), steps, options: RecordOptions::default() };
        let (mut often, mut once, mut banded) = (studio(), studio(), studio());
        banded.draw_in_bands(40).expect("room");
        let mut pictures = Vec::new();
        for _ in 0..4 {
            let (picture, _) = often.draw(&shot(5)).expect("a frame");
            let state = often.flock().state().expect("the state comes back");
            let range = often.scene().color_range().expect("colors stand for amounts");
            for (got, share) in range.into_iter().zip([0.05, 0.95]) {
                let want = percentile_of_speeds(&state, share);
                assert!(
                    (got - want).abs() <= want / 50.0,
                    "{engine}: {share} of the boids are below {got}, not {want}"
                );
            }
            pictures.push(picture);
            let (again, _) = often.draw(&shot(0)).expect("a frame");
            assert!(again == pictures[pictures.len() - 1], "{engine}: another picture of the same flock");
        }
        (0..20).for_each(|_| once.advance(&shot(1)).expect("a step"));
        assert!(once.draw(&shot(0)).expect("a frame").0 == pictures[3], "{engine}: it depends on the pictures before");
        banded.advance(&shot(10)).expect("ten steps");
        let (picture, _) = banded.draw(&shot(10)).expect("a frame");
        assert_eq!(banded.scene().color_range(), once.scene().color_range(), "{engine}: other colors in bands");
        // As in tests/picture.rs: the grain of the background, and some edges.
        let other = picture.iter().zip(&pictures[3]).filter(|(a, b)| a.abs_diff(**b) > 1).count();
        assert!(other * 200 < picture.len(), "{engine}: {other} bytes differ in bands");
    }
}

#[test]
fn a_video_follows_the_flock_and_is_the_same_each_time() {
    let Some(device) = common::device() else { return };
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(1_000);
    let look = Look { color: Coloring::Speed, ..Look::of(&settings) };
    let fitted = |follows: bool| {
        let mut offscreen =
            Offscreen::with_look(&device, &settings, look.clone(), 32, 32).expect("a small picture fits");
        if follows {
            offscreen.follow_colors();
        }
        let shot = Shot { camera: Camera::of(&settings, 1.0), steps: 1, options: RecordOptions::default() };
        let mut frame = |_| {
            let (picture, _) = offscreen.draw(&shot).expect("a frame");
            (picture, offscreen.scene().color_range().expect("colors stand for amounts"))
        };
        (0..40).map(&mut frame).collect::<Vec<_>>()
    };
    let (video, again, stills) = (fitted(true), fitted(true), fitted(false));
    assert!(video == again, "two videos of the same flock differ");
    assert_eq!(video[0], stills[0], "the first frame fits its flock");
    let step = |frames: &[(Vec<u8>, [f32; 2])]| {
        let apart = |pair: &[(Vec<u8>, [f32; 2])]| (pair[1].1[1] - pair[0].1[1]).abs();
        frames.windows(2).map(apart).fold(0.0, f32::max)
    };
    assert!(step(&video) > 0.0 && step(&video) <= step(&stills), "{} and {}", step(&video), step(&stills));
    let ([low, high], [_, end]) = (stills[39].1, video[39].1);
    assert!((end - high).abs() < 0.3 * (high - low), "{end} is far from {high}");
}

/// Draws one boid flying along `velocity`, as long as half the picture, from its right side.
fn portrait(device: &Arc<Device>, shape: Shape, velocity: Vec3) -> (Vec<u8>, Camera, f32) {
    let settings = still(1);
    let look = Look { shape, ..Look::of(&settings).before(Backdrop::Paper) };
    let length = look.boid_length;
    let camera = Camera { distance: 400.0 * length, vertical_fov: 2.0 / 400.0, ..map_of(&settings) };
    let camera = Camera { center: Vec3::ZERO, ..camera };
    let mut offscreen = Offscreen::with_look(device, &settings, look, EDGE, EDGE).expect("a small picture fits");
    let state = BoidState { position: vec![Vec3::ZERO], velocity: vec![velocity], id: vec![0] };
    offscreen.flock_mut().set_state(&state).expect("a state of all boids");
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    (offscreen.draw(&shot).expect("a frame").0, camera, length)
}

#[test]
fn a_fish_looks_where_it_swims_and_alpha_cuts_out_its_fins() {
    let Some(device) = common::device() else { return };
    for velocity in [vec3(2.0, 0.0, 0.0), vec3(-1.2, 1.6, 0.0), vec3(1.2, -1.6, 0.0)] {
        let (picture, camera, length) = portrait(&device, Shape::Fish, velocity);
        let paper = pixel(&picture, &camera, Vec3::new(-0.9, 0.9, 0.0) * length);
        // A point of the fish: along it from tail to nose, and up as far as its back is turned to the sky.
        let forward = velocity.normalize();
        let up = vec3(0.0, 1.0, 0.0) - forward * forward.y;
        let shows = |along: f32, above: f32| {
            is_drawn(pixel(&picture, &camera, (forward * along + up.normalize() * above) * length), paper)
        };
        for (along, above) in [(0.4, 0.0), (0.0, 0.0), (-0.2, 0.0), (0.05, 0.19), (-0.42, 0.12), (-0.42, -0.12)] {
            assert!(shows(along, above), "{velocity}: nothing at {along}, {above}");
        }
        // In front of the nose, behind the tail, above head and tail; and where alpha cuts: in front of the dorsal fin
        // and in the fork of the tail.
        let empty = [(0.55, 0.0), (-0.55, 0.0), (0.4, 0.15), (-0.22, 0.15), (0.17, 0.23), (-0.48, 0.0)];
        for (along, above) in empty {
            assert!(!shows(along, above), "{velocity}: something at {along}, {above}");
        }
    }
}

/// The defects of two authors' programs: a heading along the world's up axis has no right or up axis by a cross
/// product, and a boid of speed zero no pitch. Such boids must be drawn, as long as any other.
#[test]
fn boids_that_fly_straight_up_or_stand_still_are_drawn() {
    let Some(device) = common::device() else { return };
    for shape in SHAPES {
        for velocity in [vec3(0.0, 2.0, 0.0), vec3(0.0, -2.0, 0.0), Vec3::ZERO] {
            let (picture, camera, length) = portrait(&device, shape.value, velocity);
            let paper = pixel(&picture, &camera, Vec3::new(-0.9, 0.9, 0.0) * length);
            if velocity == Vec3::ZERO {
                // Seen from behind, somewhere in the middle of the picture, because a dart's tail is forked.
                let drawn = picture.chunks_exact(4).filter(|p| is_drawn([p[0], p[1], p[2]], paper)).count();
                assert!(drawn > 300, "{} standing still: {drawn} pixels", shape.name);
                continue;
            }
            let along = |k: u32| Vec3::Y * (0.01 * k as f32 - 0.495) * length;
            let seen = (0..100).filter(|&k| is_drawn(pixel(&picture, &camera, along(k)), paper)).count();
            // A dot is a quarter as long.
            assert!(seen >= 20, "{} at {velocity}: {seen} of 100 places along it are drawn", shape.name);
        }
    }
}

#[test]
fn every_shape_is_drawn_without_a_validation_message() {
    let Some(device) = common::validated_device() else { return };
    for shape in SHAPES {
        let (picture, camera, length) = portrait(&device, shape.value, vec3(2.0, 0.0, 0.0));
        let paper = pixel(&picture, &camera, Vec3::new(-0.9, 0.9, 0.0) * length);
        let lit = picture.chunks_exact(4).filter(|pixel| is_drawn([pixel[0], pixel[1], pixel[2]], paper)).count();
        // Half the picture long, and between a twentieth and most of that high.
        let most = (EDGE * EDGE) as usize / 4;
        assert!((most / 20..most).contains(&lit), "{}: {lit} pixels", shape.name);
        let messages = device.instance().messages().all();
        assert!(messages.is_empty(), "{}: {messages:#?}", shape.name);
    }
}
