//! The laws `three-radius`, `cursor` and `bounce`, and the walls, with numbers calculated by hand.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use glam::Vec3;
use starlings::flock::settings::Waypoint;
use starlings::flock::{BoidState, Law, Search, Settings, Walls};
use starlings::reference::step_with;

/// `three-radius` with radii 1, 2 and 4, a step of 0.5 s, and limits out of the way.
fn means() -> Settings {
    let mut settings = quiet("three-radius");
    let rules = &mut settings.rules;
    (rules.separation_radius, rules.alignment_radius, rules.cohesion_radius) = (1.0, 2.0, 4.0);
    (rules.max_speed, rules.max_force) = (100.0, 100.0);
    settings.time_step = 0.5;
    settings
}

/// Within all three radii, within two, and within one.
const AROUND: [(Vec3, Vec3); 4] = [
    (Vec3::ZERO, Vec3::Z),
    (Vec3::new(0.5, 0.0, 0.0), Vec3::X),
    (Vec3::new(0.0, 1.5, 0.0), Vec3::Y),
    (Vec3::new(0.0, 0.0, 3.0), Vec3::NEG_Z),
];

#[test]
fn three_radius_takes_a_mean_within_each_radius() {
    let mut settings = means();
    settings.rules.separation_weight = 2.0;
    assert_near(first_after(&settings, &AROUND).1, Vec3::Z + v(-0.5, 0.0, 0.0) * 2.0 * 0.5);
    let mut settings = means();
    settings.rules.alignment_weight = 2.0;
    assert_near(first_after(&settings, &AROUND).1, Vec3::Z + v(0.5, 0.5, 0.0) * 2.0 * 0.5);
    let mut settings = means();
    settings.rules.cohesion_weight = 2.0;
    let (position, velocity) = first_after(&settings, &AROUND);
    assert_near(velocity, Vec3::Z + v(0.5 / 3.0, 0.5, 1.0) * 2.0 * 0.5);
    assert_near(position, velocity * 0.5);
}

/// The probe that checks searches: sums and counts instead of the state, unchanged by walls.
#[test]
fn the_probe_leaves_sums_and_counts() {
    let mut settings = Settings { law: Law::Probe, walls: Walls::Bounce, ..means() };
    settings.world.half_size = Vec3::splat(2.5);
    assert_eq!(first_after(&settings, &AROUND), (v(0.5, 1.5, 3.0), v(1.0, 1.0, 0.0)));
    let mut state = BoidState {
        position: AROUND.map(|boid| boid.0).to_vec(),
        velocity: AROUND.map(|boid| boid.1).to_vec(),
        id: (0..4).collect(),
    };
    step_with(&Settings { boids: 4, ..settings }, &mut state, 1, Search::AllPairs);
    // (-0.5,0,0)/0.25; three within R, one within Rs, two within Ra.
    assert_eq!((state.position[0], state.velocity[0]), (v(-2.0, 0.0, 0.0), v(3.0, 1.0, 2.0)));
}

#[test]
fn three_radius_limits_the_force_as_a_whole_and_then_the_speed() {
    let mut settings = means();
    (settings.rules.separation_weight, settings.rules.cohesion_weight) = (1.0, 1.0);
    settings.rules.max_force = 0.2;
    let sum = v(-0.5, 0.0, 0.0) + v(0.5 / 3.0, 0.5, 1.0);
    assert_near(first_after(&settings, &AROUND).1, Vec3::Z + sum.normalize() * 0.2 * 0.5);
    settings.rules.max_speed = 0.5;
    let (position, velocity) = first_after(&settings, &AROUND);
    assert_near(velocity, (Vec3::Z + sum.normalize() * 0.2 * 0.5).normalize() * 0.5);
    assert_near(position, velocity * 0.5);
}

#[test]
fn three_radius_has_inclusive_radii_and_skips_coincident_boids() {
    let mut settings = means();
    settings.rules.separation_weight = 1.0;
    let at_radius = [(Vec3::ZERO, Vec3::Z), (Vec3::X, Vec3::X)];
    assert_near(first_after(&settings, &at_radius).1, Vec3::Z - Vec3::X * 0.5);
    // A boid in the same place is excluded from the means and their counts. One rule at a time: with equal radii, the
    // means of separation and cohesion cancel for any number of neighbors.
    let (here, near) = ((Vec3::ONE, Vec3::Z), (Vec3::ONE + v(0.5, 0.0, 0.0), Vec3::X));
    for ([separation, alignment, cohesion], mean) in
        [([2.0, 0.0, 0.0], v(-0.5, 0.0, 0.0)), ([0.0, 2.0, 0.0], Vec3::X), ([0.0, 0.0, 2.0], v(0.5, 0.0, 0.0))]
    {
        let mut settings = means();
        (settings.rules.separation_weight, settings.rules.alignment_weight) = (separation, alignment);
        settings.rules.cohesion_weight = cohesion;
        assert_near(first_after(&settings, &[here, (Vec3::ONE, Vec3::Y)]).1, Vec3::Z);
        let with = first_after(&settings, &[here, near, (Vec3::ONE, Vec3::Y)]);
        assert_near(with.1, Vec3::Z + mean * 2.0 * 0.5);
    }
}

#[test]
fn three_radius_walls_push_beyond_the_limit_of_the_force() {
    let mut settings = means();
    settings.rules.wall_weight = 6.0;
    settings.rules.max_force = 0.1;
    settings.world.half_size = v(10.0, 20.0, 30.0);
    assert_near(first_after(&settings, &[(v(9.9, -19.9, 0.0), Vec3::Z)]).1, Vec3::Z);
    assert_near(first_after(&settings, &[(v(10.1, -20.1, 0.0), Vec3::Z)]).1, v(-3.0, 3.0, 1.0));
}

/// `cursor` with its author's constants, a step of 0.5 s, and no cursor.
fn led() -> Settings {
    let mut settings = quiet("cursor");
    (settings.rules.alignment_weight, settings.rules.cohesion_weight) = (0.01, 0.15);
    settings.rules.separation_weight = 0.5;
    settings.time_step = 0.5;
    settings
}

fn with_cursor(mut settings: Settings, position: Vec3) -> Settings {
    settings.cursor = vec![Waypoint { seconds: 0.0, position }];
    (settings.rules.cursor_attraction, settings.rules.cursor_repulsion) = (0.01, 0.75);
    settings
}

#[test]
fn cursor_adds_three_means_and_takes_a_quarter_of_the_sum() {
    let boids = [
        (v(1.0, 2.0, 3.0), v(0.0, 0.0, 4.0)),
        // About to collide, and near.
        (v(1.0, 2.0, 7.0), v(2.0, 0.0, 0.0)),
        (v(1.0, 12.0, 3.0), v(0.0, 6.0, 0.0)),
    ];
    let wanted = v(0.0, 0.0, 4.0) + 0.01 * v(1.0, 3.0, 0.0) + 0.15 * v(0.0, 5.0, 2.0) - 0.5 * v(0.0, 0.0, 4.0);
    let velocity = v(0.0, 0.0, 4.0) * 0.75 + wanted * 0.25;
    let (position, after) = first_after(&led(), &boids);
    assert_near(after, velocity);
    assert_near(position, boids[0].0 + velocity * 0.5);
}

#[test]
fn cursor_looks_strictly_within_its_distances() {
    let me = (Vec3::ZERO, Vec3::Z);
    let near = (v(0.0, 20.0, 0.0), Vec3::X);
    let without = first_after(&led(), &[me, near]);
    assert_near(first_after(&led(), &[me, near, (v(30.0, 0.0, 0.0), Vec3::Y)]).1, without.1);
    let changed = first_after(&led(), &[me, near, (v(29.999, 0.0, 0.0), Vec3::Y)]).1;
    assert!(changed.distance(without.1) > 0.1, "{changed}");
    // At exactly 5 a boid is a neighbor, but not about to collide.
    let expected = Vec3::Z + 0.25 * (0.01 * Vec3::X + 0.15 * v(5.0, 0.0, 0.0));
    assert_near(first_after(&led(), &[me, (v(5.0, 0.0, 0.0), Vec3::X)]).1, expected);
}

#[test]
fn cursor_takes_the_closest_boid_for_the_one_neighbor_when_nobody_is_near() {
    let me = (Vec3::ZERO, Vec3::Z);
    let (closest, farther) = ((v(0.0, 0.0, 40.0), Vec3::X), (v(-41.0, 0.0, 0.0), Vec3::Y));
    let expected = Vec3::Z + 0.25 * (0.01 * Vec3::X + 0.15 * v(0.0, 0.0, 40.0));
    assert_near(first_after(&led(), &[me, closest, farther]).1, expected);
    assert_near(first_after(&led(), &[me, farther, closest]).1, expected);
    // Of two equally close, the lower id.
    let as_close = (v(40.0, 0.0, 0.0), Vec3::Y);
    assert_near(first_after(&led(), &[me, closest, as_close]).1, expected);
    let other = Vec3::Z + 0.25 * (0.01 * Vec3::Y + 0.15 * v(40.0, 0.0, 0.0));
    assert_near(first_after(&led(), &[me, as_close, closest]).1, other);
    // Alone, there is no closest boid.
    assert_near(first_after(&led(), &[me]).1, Vec3::Z);
}

#[test]
fn the_cursor_attracts_beyond_its_distance_and_repels_within() {
    let me = (v(1.0, 2.0, 3.0), Vec3::Z);
    for (from_me, pull) in [
        (v(20.0, 0.0, 0.0), v(0.2, 0.0, 0.0)),
        (v(0.0, -15.001, 0.0), v(0.0, -0.15001, 0.0)),
        (v(0.0, -15.0, 0.0), v(0.0, 0.75, 0.0)),
        (v(3.0, 4.0, 0.0), v(-0.45, -0.6, 0.0)),
        (Vec3::ZERO, Vec3::ZERO),
    ] {
        let settings = with_cursor(led(), me.0 + from_me);
        assert_near(first_after(&settings, &[me]).1, Vec3::Z + 0.25 * pull);
    }
    let fast = (me.0, v(0.0, 29.9, 0.0));
    let (position, velocity) = first_after(&with_cursor(led(), v(1.0, 1e4, 3.0)), &[fast]);
    assert_near(velocity, v(0.0, 30.0, 0.0));
    assert_near(position, me.0 + v(0.0, 15.0, 0.0));
}

/// `bounce` at speed 4 in a box from -10 to 10, a step of 0.5 s: two units.
fn bouncing() -> Settings {
    let mut settings = Settings::preset("bitonic").expect("a known preset").with_world_size(20.0);
    (settings.rules.move_speed, settings.time_step) = (4.0, 0.5);
    settings
}

#[test]
fn bounce_goes_straight_on_and_turns_at_walls_only() {
    let settings = bouncing();
    let slanted = v(0.6, 0.0, -0.8);
    let near = (v(0.1, 0.0, 0.0), Vec3::Y);
    let (position, heading) = first_after(&settings, &[(Vec3::ZERO, slanted), near]);
    assert_eq!((position, heading), (v(1.2, 0.0, -1.6), slanted));
    // 9.5 + 1.2 is outside: the step goes the other way from 9.5, and is not mirrored to 9.3.
    let (position, heading) = first_after(&settings, &[(v(9.5, 0.0, 0.0), slanted)]);
    assert_near(position, v(8.3, 0.0, -1.6));
    assert_eq!(heading, v(-0.6, 0.0, -0.8));
    let (position, heading) = first_after(&settings, &[(v(9.5, -9.0, -9.9), v(0.6, 0.0, -0.8))]);
    assert_near(position, v(8.3, -9.0, -8.3));
    assert_eq!(heading, v(-0.6, 0.0, 0.8), "at an edge both turn");
    // A wall that is met exactly is not passed.
    assert_eq!(first_after(&settings, &[(v(8.0, 0.0, 0.0), Vec3::X)]), (v(10.0, 0.0, 0.0), Vec3::X));
    assert_eq!(first_after(&settings, &[(v(10.0, 0.0, 0.0), Vec3::X)]), (v(8.0, 0.0, 0.0), -Vec3::X));
    // A step of 2 in a box of 1 leads out either way, and ends at a wall.
    let narrow = bouncing().with_world_size(1.0);
    assert_eq!(first_after(&narrow, &[(v(0.25, 0.0, 0.0), Vec3::X)]), (v(-0.5, 0.0, 0.0), -Vec3::X));
}

#[test]
fn far_and_nan_boids_come_back_into_the_box() {
    for walls in [Walls::Bounce, Walls::Wrap] {
        let settings = Settings { walls, ..bouncing() };
        for far in [25.0, -37.5, 1e9, -1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let (position, heading) = first_after(&settings, &[(v(far, 1.0, far), Vec3::Y)]);
            assert!(position.abs().max_element() <= 10.0, "{walls}: {far} leads to {position}");
            assert_eq!((position.y, heading.y), (3.0, 1.0));
        }
    }
}

#[test]
fn wrapped_boids_come_back_in_as_far_as_they_went_out() {
    let mut settings = quiet("reynolds").with_world_size(20.0);
    settings.walls = Walls::Wrap;
    settings.world.center = v(5.0, 0.0, 0.0);
    settings.time_step = 0.5;
    let velocity = v(3.0, -1.0, 0.0);
    let (position, after) = first_after(&settings, &[(v(14.0, -9.75, 0.0), velocity)]);
    assert_near(position, v(-4.5, 9.75, 0.0));
    assert_near(after, velocity);
    assert_near(first_after(&settings, &[(v(-4.0, 0.0, 0.0), -velocity)]).0, v(14.5, 0.5, 0.0));
}
