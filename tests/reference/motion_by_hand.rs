//! How boids move: each kind of wish with each influence and each kind of wall, with numbers calculated by hand.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use glam::Vec3;
use starlings::flock::layout::Point;
use starlings::flock::settings::Waypoint;
use starlings::flock::{Settings, Walls};

/// `reynolds`, whose wish is a force, here zero: a step of 0.5 s, speed at most 3, force at most 100.
fn by_force() -> Settings {
    let mut settings = quiet("reynolds");
    (settings.rules.max_speed, settings.rules.max_force, settings.time_step) = (3.0, 100.0, 0.5);
    settings
}

/// `cursor`, whose wish is a velocity, here its present one: a step of 0.5 s, speed at most 30, force at most 100.
fn by_velocity() -> Settings {
    let mut settings = quiet("cursor");
    (settings.rules.max_force, settings.time_step) = (100.0, 0.5);
    settings
}

/// `bounce`, whose wish is its present heading: a step of 0.5 s, speed 4, so that it moves 2 units; force at most 100.
fn by_heading() -> Settings {
    let mut settings = quiet("bitonic");
    (settings.rules.move_speed, settings.rules.max_force, settings.time_step) = (4.0, 100.0, 0.5);
    settings
}

/// With a target practically at `place`: the world in which targets are placed is a millionth wide there.
fn with_target(mut settings: Settings, place: Vec3, weight: f32) -> Settings {
    (settings.world.center, settings.world.half_size) = (place, Vec3::splat(5e-7));
    (settings.targets, settings.rules.target_weight, settings.walls) = (1, weight, Walls::None);
    settings
}

/// With boid 1 as the leader.
fn with_leader(settings: Settings, weight: f32) -> Settings {
    Settings { leader: Some(1), leader_weight: weight, ..settings }
}

fn with_current(settings: Settings, current: Vec3, weight: f32) -> Settings {
    Settings { current, current_weight: weight, ..settings }
}

/// In a box of 20 × 40 × 60 around the origin.
fn in_box(mut settings: Settings, walls: Walls) -> Settings {
    settings.world.half_size = v(10.0, 20.0, 30.0);
    Settings { walls, ..settings }
}

fn pushed(settings: Settings, weight: f32) -> Settings {
    let mut settings = in_box(settings, Walls::Push);
    settings.rules.wall_weight = weight;
    settings
}

#[track_caller]
fn assert_moves(settings: &Settings, boids: &[(Vec3, Vec3)], (position, velocity): (Vec3, Vec3)) {
    let after = first_after(settings, boids);
    assert_near(after.1, velocity);
    assert_near(after.0, position);
}

#[test]
fn influences_add_to_a_force() {
    let me = (Vec3::ZERO, Vec3::Z);
    // At full speed to (10, 0, 0): (3,0,0) - (0,0,1) = (3,0,-1), times 0.2, for half a second.
    let settings = with_target(by_force(), v(10.0, 0.0, 0.0), 0.2);
    assert_moves(&settings, &[me], (v(0.15, 0.0, 0.45), v(0.3, 0.0, 0.9)));
    let leader = (v(0.0, 4.0, 0.0), Vec3::X);
    assert_moves(&with_leader(by_force(), 0.2), &[me, leader], (v(0.0, 0.15, 0.45), v(0.0, 0.3, 0.9)));
    assert_moves(&with_leader(by_force(), -0.2), &[me, leader], (v(0.0, -0.15, 0.55), v(0.0, -0.3, 1.1)));
    // The leader does not follow.
    let leads = Settings { leader: Some(0), ..with_leader(by_force(), 0.2) };
    assert_moves(&leads, &[me, leader], (v(0.0, 0.0, 0.5), Vec3::Z));
    // (2,0,1) - (0,0,1) = (2,0,0), times 0.3.
    let current = v(2.0, 0.0, 1.0);
    assert_moves(&with_current(by_force(), current, 0.3), &[me], (v(0.15, 0.0, 0.5), v(0.3, 0.0, 1.0)));
}

#[test]
fn influences_are_limited_like_forces_and_the_speed_with_them() {
    let (me, leader) = ((Vec3::ZERO, Vec3::Z), (v(0.0, 4.0, 0.0), Vec3::X));
    let mut weak = by_force();
    weak.rules.max_force = 0.5;
    // (0,3,-1) shortened to 0.5 is (0, 0.4743416, -0.1581139).
    let expected = v(0.0, 0.237_170_8, 0.920_943_1);
    assert_moves(&with_leader(weak.clone(), 1.0), &[me, leader], (expected * 0.5, expected));
    let target = with_target(weak.clone(), v(0.0, 4.0, 0.0), 1.0);
    assert_moves(&target, &[me], (expected * 0.5, expected));
    // (2,0,0) shortened to 0.5, times 0.4.
    let settings = with_current(weak, v(2.0, 0.0, 1.0), 0.4);
    assert_moves(&settings, &[me], (v(0.05, 0.0, 0.5), v(0.1, 0.0, 1.0)));
    // (10,0,1) shortened to 3.
    let fast = v(2.985_112, 0.0, 0.298_511_2);
    assert_moves(&with_current(by_force(), v(20.0, 0.0, 1.0), 1.0), &[me], (fast * 0.5, fast));
}

#[test]
fn influences_and_walls_add_up() {
    // Walls (-0.4,0,0); leader ((0,0,-3) - (0,0,1)) · 0.1 = (0,0,-0.4); current ((0,2,1) - (0,0,1)) · 0.3 = (0,0.6,0).
    let settings = with_current(with_leader(pushed(by_force(), 0.4), 0.1), v(0.0, 2.0, 1.0), 0.3);
    let boids = [(v(10.1, 0.0, 0.0), Vec3::Z), (v(10.1, 0.0, -5.0), Vec3::Z)];
    assert_moves(&settings, &boids, (v(10.0, 0.15, 0.4), v(-0.2, 0.3, 0.8)));
    // Influences on a zero share of the flock.
    let settings = Settings { influenced: 0.0, ..settings };
    assert_moves(&settings, &boids, (v(10.0, 0.0, 0.5), v(-0.2, 0.0, 1.0)));
}

/// The limit of `three-radius` is one of its own force: (-1,0,0) shortened to 0.5, plus the leader's, twice 0.5.
#[test]
fn influences_add_to_a_force_that_is_limited_as_a_whole() {
    let mut settings = with_leader(quiet("three-radius"), 2.0);
    settings.rules.separation_weight = 2.0;
    (settings.rules.max_speed, settings.rules.max_force, settings.time_step) = (100.0, 0.5, 0.5);
    let boids = [(Vec3::ZERO, Vec3::Z), (v(0.0, 0.0, -8.0), Vec3::X), (v(0.5, 0.0, 0.0), Vec3::X)];
    assert_moves(&settings, &boids, (v(-0.125, 0.0, 0.25), v(-0.25, 0.0, 0.5)));
}

#[test]
fn influences_change_a_velocity() {
    let me = (Vec3::ZERO, v(0.0, 0.0, 4.0));
    // (30,0,0) - (0,0,4), times 0.1, for half a second.
    let settings = with_target(by_velocity(), v(100.0, 0.0, 0.0), 0.1);
    assert_moves(&settings, &[me], (v(0.75, 0.0, 1.9), v(1.5, 0.0, 3.8)));
    let leader = (v(0.0, -7.0, 0.0), Vec3::X);
    assert_moves(&with_leader(by_velocity(), 0.1), &[me, leader], (v(0.0, -0.75, 1.9), v(0.0, -1.5, 3.8)));
    let current = v(2.0, 0.0, 4.0);
    assert_moves(&with_current(by_velocity(), current, 0.5), &[me], (v(0.25, 0.0, 2.0), v(0.5, 0.0, 4.0)));
    let outside = (v(0.0, -20.5, 0.0), me.1);
    assert_moves(&pushed(by_velocity(), 6.0), &[outside], (v(0.0, -19.0, 2.0), v(0.0, 3.0, 4.0)));
    // The law's own change is blended, a quarter of (0.2,0,0) · 1; the current's (1,0,0) is not.
    let mut settings = with_current(by_velocity(), current, 1.0);
    settings.cursor = vec![starlings::flock::settings::Waypoint { seconds: 0.0, position: v(20.0, 0.0, 0.0) }];
    settings.rules.cursor_attraction = 0.01;
    assert_moves(&settings, &[me], (v(0.525, 0.0, 2.0), v(1.05, 0.0, 4.0)));
    // 29 + 71 / 2, at most 30.
    let fast = (Vec3::ZERO, v(0.0, 0.0, 29.0));
    let settings = with_current(by_velocity(), v(0.0, 0.0, 100.0), 1.0);
    assert_moves(&settings, &[fast], (v(0.0, 0.0, 15.0), v(0.0, 0.0, 30.0)));
}

#[test]
fn influences_turn_a_heading_and_leave_the_speed() {
    let me = (Vec3::ZERO, Vec3::Z);
    // (0,0,4) + 0.5 · 2 · ((3,0,4) - (0,0,4)) = (3,0,4).
    let settings = with_current(by_heading(), v(3.0, 0.0, 4.0), 2.0);
    assert_moves(&settings, &[me], (v(1.2, 0.0, 1.6), v(0.6, 0.0, 0.8)));
    // (0,0,4) + 0.5 · 0.5 · ((4,0,0) - (0,0,4)) = (1,0,3), of length √10.
    let settings = with_leader(by_heading(), 0.5);
    let expected = v(0.316_227_8, 0.0, 0.948_683_3);
    assert_moves(&settings, &[me, (v(5.0, 0.0, 0.0), Vec3::X)], (expected * 2.0, expected));
    let settings = with_target(by_heading(), v(-9.0, 0.0, 0.0), 0.5);
    let expected = v(-0.316_227_8, 0.0, 0.948_683_3);
    assert_moves(&settings, &[me], (expected * 2.0, expected));
    // (0,0,4) + 0.5 · (-6,0,0).
    let settings = pushed(by_heading(), 6.0);
    assert_moves(&settings, &[(v(10.5, 0.0, 0.0), Vec3::Z)], (v(9.3, 0.0, 1.6), v(-0.6, 0.0, 0.8)));
}

#[test]
fn a_heading_stays_to_the_bit_where_nothing_turns_it() {
    let settings = pushed(by_heading(), 6.0);
    // With a length slightly different from one.
    let slanted = v(0.6, 0.0, -0.8);
    assert_eq!(first_after(&settings, &[(Vec3::ZERO, slanted)]), (v(1.2, 0.0, -1.6), slanted));
    let nobody = Settings { influenced: 0.0, ..with_current(by_heading(), v(3.0, 0.0, 4.0), 2.0) };
    assert_eq!(first_after(&nobody, &[(Vec3::ZERO, slanted)]), (v(1.2, 0.0, -1.6), slanted));
    // (0,0,4) + 0.5 · (0,0,-8) has no direction.
    let settings = pushed(by_heading(), 8.0);
    let ahead = (v(0.0, 0.0, 40.0), Vec3::Z);
    assert_eq!(first_after(&settings, &[ahead]), (v(0.0, 0.0, 42.0), Vec3::Z));
}

/// The law's wish comes from the neighbors; influences act on the velocity before the step.
#[test]
fn influences_add_to_the_heading_that_the_law_wants() {
    let mut settings = with_leader(quiet("counting-sort").with_radius(2.0), 1.0);
    settings.rules.cohesion_weight = 1.0;
    (settings.time_step, settings.rules.turn_rate, settings.rules.move_speed) = (0.25, 4.0, 8.0);
    settings.rules.max_force = 100.0;
    // A full turn to (1,0,0). The leader is behind: (0,0,-8) - (0,0,8), for a quarter of a second. The direction of
    // (8,0,-4).
    let boids = [(Vec3::ZERO, Vec3::Z), (v(0.0, 0.0, -50.0), Vec3::Z), (Vec3::X, Vec3::Z)];
    let expected = v(0.894_427_2, 0.0, -0.447_213_6);
    assert_moves(&settings, &boids, (expected * 2.0, expected));
    // Walls push it as any other boid: (8,0,0) + 0.25 · (0,24,0) = (8,6,0).
    let settings = pushed(Settings { leader: None, ..settings }, 24.0);
    let boids = [(v(0.0, -21.0, 0.0), Vec3::Z), (v(1.0, -21.0, 0.0), Vec3::Z)];
    assert_moves(&settings, &boids, (v(1.6, -19.8, 0.0), v(0.8, 0.6, 0.0)));
}

#[test]
fn every_wish_bounces_and_comes_back_in_once() {
    let bounced = |settings| in_box(settings, Walls::Bounce);
    // Such a world is at least twice as long as the radius.
    let wrapped = |settings: Settings| in_box(settings.with_radius(5.0), Walls::Wrap);
    let boid = [(v(9.5, 0.0, 0.0), v(3.0, 0.0, 0.0))];
    assert_moves(&bounced(by_force()), &boid, (v(8.0, 0.0, 0.0), v(-3.0, 0.0, 0.0)));
    assert_moves(&wrapped(by_force()), &boid, (v(-9.0, 0.0, 0.0), v(3.0, 0.0, 0.0)));
    let boid = [(v(0.0, 0.0, 29.0), v(0.0, 0.0, 4.0))];
    assert_moves(&bounced(by_velocity()), &boid, (v(0.0, 0.0, 27.0), v(0.0, 0.0, -4.0)));
    assert_moves(&wrapped(by_velocity()), &boid, (v(0.0, 0.0, -29.0), v(0.0, 0.0, 4.0)));
    let boid = [(v(0.0, 19.5, 0.0), Vec3::Y)];
    assert_moves(&bounced(by_heading()), &boid, (v(0.0, 17.5, 0.0), Vec3::NEG_Y));
    assert_moves(&wrapped(by_heading()), &boid, (v(0.0, -18.5, 0.0), Vec3::Y));
    // By a current alone: 0.5 · (2,0,0) is (1,0,0), and 9.8 + 0.5 is outside.
    let settings = bounced(with_current(by_force(), v(2.0, 0.0, 0.0), 1.0));
    assert_moves(&settings, &[(v(9.8, 0.0, 0.0), Vec3::ZERO)], (v(9.3, 0.0, 0.0), v(-1.0, 0.0, 0.0)));
}

/// From (-9,0,0) to (9,0,0) the way through the wall is (-2,0,0).
#[test]
fn leaders_and_points_draw_through_walls_that_wrap() {
    let on_a_torus = |settings: Settings| in_box(settings.with_radius(1.0), Walls::Wrap);
    let boids = [(v(-9.0, 0.0, 0.0), Vec3::ZERO), (v(9.0, 0.0, 0.0), Vec3::ZERO)];
    // At full speed, 3, for half a second: (-1.5,0,0), and half of that further.
    let settings = on_a_torus(with_leader(by_force(), 1.0));
    assert_moves(&settings, &boids, (v(-9.75, 0.0, 0.0), v(-1.5, 0.0, 0.0)));
    // Half of its reach away, half of its strength 6.
    let mut settings = on_a_torus(by_force());
    settings.points = vec![Point { position: v(9.0, 0.0, 0.0), reach: 4.0, strength: 6.0 }];
    assert_moves(&settings, &boids, (v(-9.75, 0.0, 0.0), v(-1.5, 0.0, 0.0)));
    // And the cursor repels: v - 0.75 (-1,0,0), of which a quarter is blended in.
    let mut settings = on_a_torus(by_velocity());
    settings.rules.cursor_repulsion = 0.75;
    settings.cursor = vec![Waypoint { seconds: 0.0, position: v(9.0, 0.0, 0.0) }];
    assert_moves(&settings, &boids[..1], (v(-8.906_25, 0.0, 0.0), v(0.1875, 0.0, 0.0)));
}
