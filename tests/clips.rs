//! Near boids against the twin of their pose: which pixels the mesh covers that the vertex shader finds between frames
//! of clips.

mod common;

use glam::{Mat4, Vec2, Vec3, vec2, vec3};
use starlings::flock::{BoidState, Settings, States};
use starlings::mesh::{Animated, Clip, Parts};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::pose::Pose;
use starlings::render::clips::{Figure, Model, Reader};
use starlings::render::look::{Backdrop, Coloring, Shape};
use starlings::render::{Camera, Look, View};
use starlings::transitions::STATES;
use starlings::vk::{Device, RecordOptions};
use std::collections::BTreeSet;
use std::sync::Arc;

const EDGE: u32 = 320;

/// Places along an edge of a pixel at which the twin looks.
const FINE: u32 = 8;

/// A flock of one boid, which flies where it likes.
fn alone(states: States) -> Settings {
    let mut settings = Settings { states, ..Settings::preset("reynolds").expect("a known preset").with_boids(1) };
    settings.world.half_size = Vec3::splat(1e3);
    settings
}

/// Draws the boid of `offscreen`, as long as half the picture, seen along `from`, and compares the pixels that it
/// covers with those that the mesh of its figure covers in the twin's pose. Gives the state that the boid is in.
fn check(offscreen: &mut Offscreen, from: Vec3, about: &str) -> u32 {
    let look = offscreen.scene().look().clone();
    let center = offscreen.flock().state().expect("the state comes back").position[0];
    let distance = 40.0 * look.boid_length;
    let (yaw, pitch) = (from.x, from.y);
    let camera = Camera { center, distance, vertical_fov: 2.0 / 40.0, yaw, pitch };
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    let picture = offscreen.draw(&shot).expect("a frame").0;

    let state = offscreen.flock().state().expect("the state comes back");
    let behavior = offscreen.flock().behaviors().expect("the states come back").first().copied();
    let params = offscreen.scene().params(offscreen.flock(), &View::of(camera, EDGE, EDGE));
    let figure = look.figure();
    let pose = Pose::new(&params, figure.pose, &state, 0, behavior);
    let clip_from = Mat4::from_cols_array_2d(&params.view_projection);
    let on_screen = |vertex: usize| {
        let place = pose.place(&params, |row| figure.frames[row.min(figure.frames.len() - 1)][vertex].0);
        let clip = clip_from * place.extend(1.0);
        (0.5 + 0.5 * vec2(clip.x, clip.y) / clip.w) * EDGE as f32
    };
    let corners: Vec<Vec2> = (0..figure.near.vertices.len()).map(on_screen).collect();
    // At places far closer together than the samples of a pixel.
    let mut fine = vec![false; (FINE * EDGE * FINE * EDGE) as usize];
    // And along edges: a triangle may be thinner than these places are apart, seen from its side.
    let mut edges = fine.clone();
    for triangle in figure.near.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| corners[triangle[k] as usize] * FINE as f32);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let count = (2.0 * from.distance(to)).ceil().max(1.0);
            for k in 0..=count as u32 {
                let place = from.lerp(to, k as f32 / count);
                edges[(place.y as u32 * FINE * EDGE + place.x as u32) as usize] = true;
            }
        }
        let area = (b - a).perp_dot(c - a);
        let (low, high) = (a.min(b).min(c).floor(), a.max(b).max(c).ceil());
        for y in low.y as u32..high.y as u32 {
            for x in low.x as u32..high.x as u32 {
                let place = vec2(x as f32, y as f32) + 0.5 - a;
                let (s, t) = (place.perp_dot(c - a) / area, (b - a).perp_dot(place) / area);
                fine[(y * FINE * EDGE + x) as usize] |= s >= 0.0 && t >= 0.0 && s + t <= 1.0;
            }
        }
    }
    let paper = &picture[..3];
    let is_drawn = |x, y| (0..3).any(|k| picture[4 * (y * EDGE + x) as usize + k].abs_diff(paper[k]) > 6);
    let (mut covered, mut lacking, mut spare) = (0, 0, 0);
    for (x, y) in (1..EDGE - 1).flat_map(|y| (1..EDGE - 1).map(move |x| (x, y))) {
        // The pixel, and a little around it.
        let mut near = (FINE * y - 1..=FINE * (y + 1))
            .flat_map(|v| (FINE * x - 1..=FINE * (x + 1)).map(move |u| (v * FINE * EDGE + u) as usize));
        let (all, none) = (near.clone().all(|at| fine[at]), !near.any(|at| fine[at] || edges[at]));
        covered += u32::from(all);
        lacking += u32::from(all && !is_drawn(x, y));
        spare += u32::from(none && is_drawn(x, y));
    }
    assert!(covered > 400 && lacking + spare == 0, "{about}: {lacking} lack, {spare} are spare, {covered} are covered");
    behavior.map_or(0, |behavior| behavior.state())
}

fn go_on(offscreen: &mut Offscreen, steps: u32) {
    let camera = Camera::fit(&offscreen.flock().settings().world, 1.0);
    offscreen.advance(&Shot { camera, steps, options: RecordOptions::default() }).expect("steps");
}

/// As `look` is shown on paper, in one color.
fn on_paper(look: Look) -> Look {
    Look { color: Coloring::Silhouette, boid_length: 0.5, ..look.before(Backdrop::Paper) }
}

fn portrait(device: &Arc<Device>, settings: &Settings, look: Look, velocity: Vec3) -> Offscreen {
    let mut offscreen = Offscreen::with_look(device, settings, look, EDGE, EDGE).expect("a small picture fits");
    let state = BoidState { position: vec![vec3(3.0, 1.0, -2.0)], velocity: vec![velocity], id: vec![0] };
    offscreen.flock_mut().set_state(&state).expect("a state of all boids");
    offscreen
}

#[test]
fn near_boids_have_the_twins_pose_at_any_time() {
    let Some(device) = common::device() else { return };
    for shape in [Shape::Bird, Shape::Dart, Shape::Plane, Shape::Dot] {
        let settings = alone(States::None);
        let look = on_paper(Look { shape, ..Look::of(&settings) });
        let mut offscreen = portrait(&device, &settings, look, vec3(0.8, 0.3, -0.5));
        for step in 0..6 {
            check(
                &mut offscreen,
                vec3(0.4 * step as f32, 0.5 - 0.1 * step as f32, 0.0),
                &format!("{shape:?}, step {}", 5 * step),
            );
            go_on(&mut offscreen, 5);
        }
    }
}

#[test]
fn near_boids_have_the_twins_pose_in_the_states_that_they_go_through() {
    let Some(device) = common::device() else { return };
    let settings = alone(States::Birds);
    let look = on_paper(Look { shape: Shape::Bird, ..Look::of(&settings) });
    let mut offscreen = portrait(&device, &settings, look, vec3(0.8, 0.0, -0.5));
    let mut seen = BTreeSet::new();
    for k in 0..12 {
        seen.insert(check(&mut offscreen, vec3(0.3 * k as f32, 0.4, 0.0), &format!("look {k}")));
        // Also in the middle of a transition.
        go_on(&mut offscreen, 13);
    }
    assert!(seen.len() >= 2, "{:?}", seen.iter().map(|&state| STATES[state as usize]).collect::<Vec<_>>());
}

/// A bar that bends, of so many pieces that its frames lie in several blocks of columns.
fn bar(name: &'static str) -> Animated {
    const ALONG: u32 = 2_500;
    let (frames, mut parts) = (8, Parts::default());
    for frame in 0..frames {
        let bend = 0.3 * (std::f32::consts::TAU * frame as f32 / frames as f32).sin();
        for k in 0..ALONG {
            let z = k as f32 / (ALONG - 1) as f32 - 0.5;
            for side in [-0.12, 0.12] {
                parts.places.push(vec3(side, 4.0 * bend * (z * z - 0.08), z));
                parts.normals.push(Vec3::Y);
            }
        }
    }
    parts.albedo = (0..2 * ALONG).map(|k| Vec3::splat(0.2 + 0.5 * k as f32 / (2 * ALONG) as f32)).collect();
    for k in 0..ALONG - 1 {
        let a = 2 * k;
        parts.triangles.extend([[a, a + 2, a + 1], [a + 1, a + 2, a + 3]]);
    }
    parts.coarse = vec![[0, 2 * ALONG - 1, 1], [0, 2 * ALONG - 2, 2 * ALONG - 1]];
    parts.clips = vec![Clip { name, first: 0, frames, seconds: 0.7 }];
    Animated::new(parts).expect("a model")
}

#[test]
fn a_model_of_more_vertices_than_columns_is_flown_as_its_frames_say() {
    let Some(device) = common::validated_device() else { return };
    let readers: [(&str, Reader); 2] = [("flap", |_| Ok(bar("flap"))), ("swim", |_| Ok(bar("swim")))];
    for (name, reader) in readers {
        let model = Model::named(name, reader);
        let settings = alone(States::None);
        let look = on_paper(Look { model: Some(model), ..Look::of(&settings) });
        let mut offscreen = portrait(&device, &settings, look, vec3(0.8, 0.3, -0.5));
        for step in 0..4 {
            check(&mut offscreen, vec3(0.5 * step as f32, 0.7, 0.0), &format!("{name}, step {}", 5 * step));
            go_on(&mut offscreen, 5);
        }
    }
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

#[test]
fn coarse_meshes_of_models_cover_as_much_as_the_models() {
    let figure = Figure::of_model(&bar("flap"));
    let corners = |places: &dyn Fn(u32) -> Vec3, indices: &[u32]| -> Vec<[Vec3; 3]> {
        indices.chunks_exact(3).map(|t| [places(t[0]), places(t[1]), places(t[2])]).collect()
    };
    let near = corners(&|vertex| figure.frames[0][vertex as usize].0, &figure.near.indices);
    let indices: Vec<u32> = figure.far.triangles.iter().flat_map(|triangle| triangle.corners.to_array()).collect();
    let far = corners(&|vertex| figure.far.frames[vertex as usize], &indices);
    let cover = |mesh: &[[Vec3; 3]]| starlings::render::mesh::mean_silhouette(mesh, |_, _, _| true);
    assert!((cover(&far) / cover(&near) - 1.0).abs() < 0.03, "{} and {}", cover(&far), cover(&near));
    let shown = figure.far.triangles.iter().map(|triangle| 0.5 * triangle.area.length()).sum::<f32>();
    assert!((shown / cover(&near) - 1.0).abs() < 0.03, "{shown}");
}
