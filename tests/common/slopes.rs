//! Flat flocks and meshes whose surfaces are slanted there: a push along the plane brings a boid only a part of the way
//! out.

use super::meshes::model;
use glam::Vec3;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::{BoidState, Settings, Walls, spawn};
use starlings::mesh::{Mesh, Model};

/// Takes so many steps, and gives the state after them.
pub type Stepping<'a> = Box<dyn FnMut(u32) -> BoidState + 'a>;

/// A flock that crosses the walls in each step and often comes back inside a mesh. The pushes bring some boids out by
/// less than rounding can tell: such a boid must not count as outside. `start` makes a flock of such settings, from
/// that state.
pub fn none_lands_inside<'a>(boids: u32, start: impl FnOnce(&Settings, &BoidState) -> Stepping<'a>) {
    let settings = Settings::preset("bitonic").expect("a known preset").with_boids(boids);
    let mut settings = settings.on_plane().with_world_size(20.0);
    (settings.rules.move_speed, settings.time_step, settings.walls) = (877.3, 0.17, Walls::Wrap);
    let center = Vec3::new(1.4, 0.0, -2.0);
    settings.obstacles = vec![Obstacle::Mesh { center, size: 12.0, turn: 165.0, model: model(false, 3) }];
    let spawned = spawn(&settings);
    assert!(spawned.position.iter().all(|place| settings.obstacle_distance_at(*place) > 0.0));
    let (mut advanced, mut near) = (start(&settings, &spawned), 0);
    for k in 0..10 {
        let state = advanced(1);
        let distances: Vec<f64> = state.position.iter().map(|place| settings.obstacle_distance_at(*place)).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least >= 0.0, "after step {k} a boid is {least:e} inside");
        near += distances.iter().filter(|distance| **distance < 1e-3).count();
    }
    assert!(near > boids as usize / 2, "only {near} were put outside");
}

/// Boids inside a pyramid, whose sides rise by one in two: four pushes leave them inside, and some steps bring all of
/// them out. `start` makes a flock of such settings, from that state.
pub fn those_inside_come_out<'a>(start: impl FnOnce(&Settings, &BoidState) -> Stepping<'a>) {
    let (foot, top) =
        ([(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(x, z)| Vec3::new(x, 0.0, z)), Vec3::Y);
    let side = |k: usize| [foot[k], top, foot[(k + 1) % 4]];
    let triangles = [[foot[0], foot[1], foot[2]], [foot[0], foot[2], foot[3]], side(0), side(1), side(2), side(3)];
    let model = Model::of("pyramid.obj", &Mesh::new(triangles.to_vec()).expect("a mesh"), 40).expect("a model");
    assert!(model.mesh().is_closed());
    let settings =
        Settings::preset("reynolds").expect("a known preset").with_boids(101).on_plane().with_world_size(20.0);
    let pyramid = Obstacle::Mesh { center: Vec3::ZERO, size: 4.0, turn: 0.0, model };
    let mut settings = Settings { obstacles: vec![pyramid], obstacle_weight: 0.0, ..settings };
    settings.time_step = 1e-5;
    // Along a line across its section, which is a square with edges of 2.
    let place = |i: u32| Vec3::new(-0.9 + 0.018 * i as f32, 0.0, 0.1);
    let position: Vec<Vec3> = (0..101).map(place).collect();
    let mut advanced =
        start(&settings, &BoidState { velocity: vec![Vec3::ZERO; 101], id: (0..101).collect(), position });
    let mut distances_after = || -> Vec<f64> {
        advanced(1).by_id().position.iter().map(|place| settings.obstacle_distance_at(*place)).collect()
    };
    let mut before: Vec<f64> = (0..101).map(|i| settings.obstacle_distance_at(place(i))).collect();
    assert!(before.iter().all(|distance| *distance < -0.03), "{before:?}");
    let mut inside = Vec::new();
    for _ in 0..6 {
        let after = distances_after();
        for (i, (before, after)) in before.iter().zip(&after).enumerate() {
            assert!(*after > before.min(0.0), "boid {i} comes from {before:e} to {after:e}");
        }
        inside.push(after.iter().filter(|distance| **distance < 0.0).count());
        before = after;
    }
    assert!(inside[0] > 50 && inside[5] == 0, "inside after each step: {inside:?}");
}
