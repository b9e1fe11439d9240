//! Obstacles: how boids meet them, with numbers calculated by hand; their distances by two formulas; and that none ends
//! a step inside.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use crate::meshes::model;
use crate::slopes::{self, Stepping};
use glam::Vec3;
use proptest::prelude::*;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::{BoidState, PRESETS, Search, Settings, Walls};
use starlings::mesh::Model;
use starlings::reference::step_with;
use std::sync::LazyLock;

/// A wall whose solid side is x > `x`.
fn wall(x: f32) -> Obstacle {
    Obstacle::Plane { point: v(x, 0.0, 0.0), normal: v(-1.0, 0.0, 0.0) }
}

/// `reynolds`, whose force is zero, with one obstacle: a step of 0.5 s, speed at most 3, force at most 100; sight 4.
fn by_force(obstacle: Obstacle, weight: f32) -> Settings {
    let mut settings = quiet("reynolds");
    (settings.rules.max_speed, settings.rules.max_force, settings.time_step) = (3.0, 100.0, 0.5);
    Settings { obstacles: vec![obstacle], obstacle_distance: 4.0, obstacle_weight: weight, ..settings }
}

#[track_caller]
fn assert_moves(settings: &Settings, me: (Vec3, Vec3), (position, velocity): (Vec3, Vec3)) {
    let after = first_after(settings, &[me]);
    assert_near(after.1, velocity);
    assert_near(after.0, position);
}

#[test]
fn a_boid_stops_before_a_wall_and_loses_its_speed_towards_it() {
    let settings = by_force(wall(2.0), 0.0);
    // Its way is 1.5, and the gap an eighth of that, 0.1875: the wall is farther away than its way and two gaps.
    assert_moves(&settings, (Vec3::ZERO, Vec3::X * 3.0), (Vec3::X * 1.5, Vec3::X * 3.0));
    // It comes to 2 - 0.1875, and is put to 2 - 0.375.
    assert_moves(&settings, (Vec3::X, Vec3::X * 3.0), (Vec3::X * 1.625, Vec3::ZERO));
    // Along the wall at twice the gap, 0.25, nothing holds it.
    assert_moves(&settings, (Vec3::X * 1.75, Vec3::Z * 2.0), (v(1.75, 0.0, 1.0), Vec3::Z * 2.0));
    // Away from it nothing holds it either.
    assert_moves(&settings, (Vec3::X, Vec3::X * -2.0), (Vec3::ZERO, Vec3::X * -2.0));
}

#[test]
fn a_boid_inside_is_put_outside() {
    // A way of 0.8: gaps of 0.1, and two of them outside.
    let settings = by_force(wall(2.0), 0.0);
    assert_moves(&settings, (v(5.0, 1.0, 0.0), Vec3::X * 1.6), (v(1.8, 1.0, 0.0), Vec3::ZERO));
    let ball = Obstacle::Sphere { center: v(0.0, 0.0, 7.0), radius: 3.0 };
    assert_moves(&by_force(ball, 0.0), (v(0.0, 0.0, 5.0), Vec3::X * 1.6), (v(0.0, 0.0, 3.8), Vec3::X * 1.6));
}

#[test]
fn a_boid_sees_what_lies_ahead_and_steers_away() {
    // The wall is 2 away, half of the sight: -x at full speed, (-3) - 2 = -5, times a half, for half a second.
    assert_moves(&by_force(wall(2.0), 1.0), (Vec3::ZERO, Vec3::X * 2.0), (Vec3::X * 0.375, Vec3::X * 0.75));
    // Beyond sight there is nothing.
    assert_moves(&by_force(wall(4.5), 1.0), (Vec3::ZERO, Vec3::X * 2.0), (Vec3::X, Vec3::X * 2.0));
    // Behind there is nothing either: -x, from 3 away, sees the wall at 3 + 6 + ....
    assert_moves(&by_force(wall(2.0), 1.0), (Vec3::X * -1.0, Vec3::X * -2.0), (Vec3::X * -2.0, Vec3::X * -2.0));
}

#[test]
fn a_heading_that_meets_a_wall_turns_around_or_along() {
    let mut settings = quiet("bitonic");
    (settings.rules.move_speed, settings.time_step) = (4.0, 0.5);
    let settings = Settings { obstacles: vec![wall(2.0)], obstacle_weight: 0.0, ..settings };
    // A way of 2, gaps of 0.25.
    assert_moves(&settings, (Vec3::X, Vec3::X), (Vec3::X * 1.5, Vec3::X * -1.0));
    let (position, heading) = first_after(&settings, &[(Vec3::X, v(0.6, 0.0, 0.8))]);
    assert_near(heading, Vec3::Z);
    assert!(position.x <= 1.75 && position.z > 0.5, "{position}");
}

/// The twin's flock from that state.
fn stepping(settings: &Settings, start: &BoidState) -> Stepping<'static> {
    let (settings, mut state, mut taken) = (settings.clone(), start.clone(), 0);
    Box::new(move |steps| {
        for step in taken..taken + steps {
            step_with(&settings, &mut state, step, Search::SortedGrid);
        }
        taken += steps;
        state.clone()
    })
}

#[test]
fn no_boid_lands_inside_by_rounding() {
    slopes::none_lands_inside(10_000, stepping);
}

#[test]
#[ignore = "long: twice as many boids"]
fn none_of_many_boids_lands_inside_by_rounding() {
    slopes::none_lands_inside(20_000, stepping);
}

#[test]
fn boids_inside_a_slanted_section_come_out() {
    slopes::those_inside_come_out(stepping);
}

fn place(reach: f32) -> impl Strategy<Value = Vec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
}

/// Closed and open, with coarse volumes and fine ones.
static MODELS: LazyLock<[Model; 4]> =
    LazyLock::new(|| [(true, 1), (true, 20), (false, 3), (false, 30)].map(|(closed, cells)| model(closed, cells)));

fn obstacle() -> impl Strategy<Value = Obstacle> {
    let direction = || place(1.0).prop_filter("a direction", |v| v.length() > 0.1);
    prop_oneof![
        (place(8.0), 0.1f32..5.0).prop_map(|(center, radius)| Obstacle::Sphere { center, radius }),
        (place(8.0), [0.1f32..8.0, 0.1f32..8.0, 0.1f32..8.0])
            .prop_map(|(center, size)| Obstacle::Box { center, size: size.into() }),
        (place(8.0), place(8.0), 0.1f32..3.0).prop_map(|(from, to, radius)| Obstacle::Capsule { from, to, radius }),
        (place(8.0), direction(), 1.0f32..6.0, 0.1f32..0.9).prop_map(|(center, axis, ring, tube)| Obstacle::Torus {
            center,
            axis,
            ring,
            tube
        }),
        (place(8.0), direction()).prop_map(|(point, normal)| Obstacle::Plane { point, normal }),
        (place(8.0), 0.5f32..15.0, -360.0f32..360.0, 0..MODELS.len()).prop_map(|(center, size, turn, which)| {
            Obstacle::Mesh { center, size, turn, model: MODELS[which].clone() }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(60)))]

    /// Whatever the law, the walls, the time step and the speed: a boid that was outside is outside. Distances by
    /// `Obstacle::distance`, which shares nothing with the formulas of the step.
    #[test]
    fn no_boid_ends_a_step_inside(
        row in prop::sample::select(PRESETS),
        walls in prop::sample::select(&[Walls::None, Walls::Push, Walls::Bounce, Walls::Wrap][..]),
        flat: bool,
        obstacles in prop::collection::vec(obstacle(), 1..6),
        boids in prop::collection::vec((place(10.0), place(1.0)), 1..20),
        speed in 0.01f32..1000.0,
        time_step in 0.001f32..1.0,
        weight in prop_oneof![Just(0.0f32), 0.0f32..100.0],
    ) {
        let mut settings = row.settings().with_plane(flat).with_world_size(20.0);
        (settings.rules.max_speed, settings.rules.move_speed) = (speed, speed);
        (settings.walls, settings.time_step, settings.obstacle_weight) = (walls, time_step, weight);
        settings.obstacles = obstacles;
        prop_assume!(settings.validate().is_ok());
        let unit = settings.law.info().uses_heading;
        let outside = boids
            .into_iter()
            .map(|(p, v)| if flat { (p.with_y(0.0), v.with_y(0.0)) } else { (p, v) })
            .map(|(p, v)| (p, if unit { v.try_normalize().unwrap_or(Vec3::X) } else { v * speed }))
            .filter(|(p, _)| settings.obstacle_distance_at(*p) >= 0.0);
        let (position, velocity): (Vec<Vec3>, Vec<Vec3>) = outside.unzip();
        prop_assume!(!position.is_empty());
        settings.boids = position.len() as u32;
        let mut state = BoidState { position, velocity, id: (0..settings.boids).collect() };
        for step in 0..8 {
            let before = state.by_id();
            step_with(&settings, &mut state, step, Search::AllPairs);
            let after = state.by_id();
            for i in 0..after.len() {
                let (from, to) = (before.position[i], after.position[i]);
                let distance = settings.obstacle_distance_at(to);
                prop_assert!(distance >= 0.0, "boid {i} of {}: {from} to {to}, {distance:e}", row.name);
                prop_assert!(!flat || to.y == 0.0, "boid {i} has left the plane: {to}");
            }
        }
    }
}
