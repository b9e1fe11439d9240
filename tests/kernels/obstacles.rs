//! Obstacles on the device: against the twin, and that no boid ends a step inside.

use crate::common;
use glam::Vec3;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, PRESETS, Settings, Walls, spawn};
use starlings::reference;

/// An obstacle of each kind, about as large as `unit`, around the center of the world.
fn kinds(unit: f32) -> Vec<Obstacle> {
    let v = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * unit;
    vec![
        Obstacle::Sphere { center: v(0.3, 0.1, 0.0), radius: 0.4 * unit },
        Obstacle::Box { center: v(-0.3, 0.0, 0.2), size: v(0.5, 0.9, 0.3) },
        Obstacle::Capsule { from: v(-0.5, -0.3, -0.4), to: v(0.4, 0.5, 0.3), radius: 0.15 * unit },
        Obstacle::Torus { center: v(0.0, 0.1, 0.0), axis: v(0.2, 1.0, 0.3), ring: 0.5 * unit, tube: 0.15 * unit },
        Obstacle::Plane { point: v(0.0, -0.4, 0.0), normal: v(0.1, 1.0, 0.0) },
    ]
}

/// The flock of a preset among obstacles of all kinds, small enough to leave room.
fn among_all(settings: Settings) -> Settings {
    let edge = settings.world.half_size.x;
    let mut obstacles: Vec<Obstacle> = Vec::new();
    for (k, kind) in kinds(0.4 * edge).into_iter().enumerate() {
        let away = Vec3::new((k as f32).sin(), 0.3 * (k as f32).cos(), (k as f32).cos()) * 0.6 * edge;
        obstacles.push(kind.moved(if k == 4 { Vec3::NEG_Y * 0.6 * edge } else { away }));
    }
    Settings { obstacles, ..settings }
}

/// The distances from the obstacles, the least first.
fn least_distance(settings: &Settings, state: &BoidState) -> f64 {
    state.position.iter().map(|&place| settings.obstacle_distance_at(place)).fold(f64::INFINITY, f64::min)
}

/// A step of every law with every search among obstacles of all kinds. Where a boid meets an obstacle at the brink of not meeting it, the
/// device may decide otherwise than the twin, and be a gap off: such are few, and no farther off.
#[test]
fn boids_meet_obstacles_as_the_twins_do() {
    let Some(device) = common::device() else { return };
    for (row, info) in PRESETS.iter().flat_map(|row| SEARCHES.iter().map(move |info| (row, info))) {
        let mut settings = among_all(row.settings().with_boids(1_003));
        settings.search = info.search;
        // Long steps, so that many boids meet an obstacle in a few.
        settings.time_step = 0.05 * settings.world.half_size.x / settings.full_speed();
        let mut simulation = common::simulation(&device, &settings, None);
        let (mut met, mut far_off, gap) = (0, 0, settings.time_step * settings.full_speed() / 8.0);
        for step in 0..10 {
            let start = simulation.flock().state().expect("the state comes back").by_id();
            simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
            let got = simulation.flock().state().expect("the state comes back").by_id();
            let (mut want, mut without) = (start.clone(), start);
            reference::step(&settings, &mut want, step);
            reference::step(&Settings { obstacles: Vec::new(), ..settings.clone() }, &mut without, step);
            let (want, without) = (want.by_id(), without.by_id());
            for i in 0..got.len() {
                let off = got.position[i].distance(want.position[i]);
                assert!(off < 2.0 * gap, "{} by {}: boid {i} is {off} off in step {step}", row.name, info.name);
                far_off += u32::from(off > 1e-5 * settings.world.half_size.x);
                met += u32::from(want.position[i].distance(without.position[i]) > 0.01 * gap);
            }
        }
        assert!(met > 200, "{} by {}: only {met} meet an obstacle", row.name, info.name);
        assert!(far_off * 200 <= met, "{} by {}: {far_off} of {met} are off", row.name, info.name);
    }
}

/// Every law with each kind of obstacle, walls and three time steps: `STEPS` steps (60) of `BOIDS` boids (500), looked at after each
/// `EVERY` steps (1). Prints the least distance.
#[test]
fn no_boid_ends_a_step_inside_an_obstacle() {
    let Some(device) = common::device() else { return };
    let number = |name: &str, usual: u32| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let (steps, boids, every) = (number("STEPS", 60), number("BOIDS", 500), number("EVERY", 1));
    let (mut least_of_all, mut cases) = (f64::INFINITY, 0);
    for row in PRESETS {
        let plain = row.settings().with_boids(boids);
        for (k, obstacle) in kinds(plain.world.half_size.x).into_iter().enumerate() {
            for (j, factor) in [1.0, 8.0, 60.0].into_iter().enumerate() {
                let walls = [Walls::Push, Walls::Bounce, Walls::Wrap, Walls::None][(k + j) % 4];
                let mut settings = Settings { obstacles: vec![obstacle], walls, ..plain.clone() };
                settings.time_step = (settings.time_step * factor).min(1.0);
                let start = least_distance(&settings, &spawn(&settings));
                assert!(start > 0.0, "{} starts inside {obstacle}", row.name);
                let mut simulation = common::simulation(&device, &settings, None);
                let mut least = f64::INFINITY;
                for _ in 0..steps / every {
                    simulation.advance(every).and_then(|()| simulation.wait()).expect("the steps run");
                    least = least
                        .min(least_distance(&settings, &simulation.flock().state().expect("the state comes back")));
                }
                assert!(least >= 0.0, "{} and {obstacle}, walls {walls}, x{factor}: {least:e} inside", row.name);
                (least_of_all, cases) = (least_of_all.min(least), cases + 1);
            }
        }
    }
    println!("{cases} flocks of {boids} boids, {steps} steps: the least distance from an obstacle is {least_of_all:e}");
}
