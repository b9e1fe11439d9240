//! The formulas of the laws on two or three boids, with the expected numbers calculated by hand.

use glam::Vec3;
use starlings::flock::settings::{TUNABLES, Tunable, Unit};
use starlings::flock::{BoidState, PRESETS, Search, Setting, Settings, Walls, spawn};
use starlings::reference::step_with;

/// The weights: numbers that may be negative, unlike shares; and that of the walls.
fn weights() -> impl Iterator<Item = &'static Tunable> {
    let signed = |tunable: &Tunable| tunable.unit == Unit::Plain && tunable.least < 0.0;
    TUNABLES.iter().filter(move |tunable| signed(tunable) || tunable.setting == Setting::WallWeight)
}

/// Weights off, no targets, a box of 100: each test switches on the rules that it tests.
pub fn quiet(preset: &str) -> Settings {
    let mut settings = Settings::preset(preset).expect("a known preset").with_world_size(100.0);
    weights().for_each(|weight| *(weight.field)(&mut settings) = 0.0);
    (settings.targets, settings.noise) = (0, 0.0);
    if settings.walls != Walls::Push {
        settings.walls = Walls::None;
    }
    settings
}

/// `counting-sort` with R = 2, a step of 0.25 s, turn rate 1 and speed 8: a heading turns a quarter of the way to the
/// force, and a boid moves 2 units along its heading.
fn heading_settings() -> Settings {
    let mut settings = quiet("counting-sort").with_radius(2.0);
    (settings.time_step, settings.rules.turn_rate, settings.rules.move_speed) = (0.25, 1.0, 8.0);
    settings
}

/// `reynolds` with radii 1, 2 and 4, a step of 0.5 s, speed at most 3 and force at most 100.
fn steering_settings() -> Settings {
    let mut settings = quiet("reynolds");
    let rules = &mut settings.rules;
    (rules.separation_radius, rules.alignment_radius, rules.cohesion_radius) = (1.0, 2.0, 4.0);
    (rules.max_speed, rules.max_force) = (3.0, 100.0);
    settings.time_step = 0.5;
    settings
}

/// Position and velocity of the first boid after one step; both searches must agree.
pub fn first_after(settings: &Settings, boids: &[(Vec3, Vec3)]) -> (Vec3, Vec3) {
    let settings = Settings { boids: boids.len() as u32, ..settings.clone() };
    settings.validate().expect("valid settings");
    let start = BoidState {
        position: boids.iter().map(|boid| boid.0).collect(),
        velocity: boids.iter().map(|boid| boid.1).collect(),
        id: (0..settings.boids).collect(),
    };
    let [by_pairs, by_grid] = [Search::AllPairs, Search::SortedGrid].map(|search| {
        let mut state = start.clone();
        step_with(&settings, &mut state, 0, search);
        let state = state.by_id();
        (state.position[0], state.velocity[0])
    });
    assert_near(by_pairs.0, by_grid.0);
    assert_near(by_pairs.1, by_grid.1);
    by_pairs
}

#[track_caller]
pub fn assert_near(a: Vec3, b: Vec3) {
    assert!(a.distance(b) < 1e-5, "{a} is not {b}");
}

pub fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// The heading a quarter of the way from +z to `force`.
fn quarter_turn_to(force: Vec3) -> Vec3 {
    (Vec3::Z * 0.75 + force.normalize() * 0.25).normalize()
}

#[test]
fn heading_separation_points_away_and_weighs_near_neighbors_more() {
    let mut settings = heading_settings();
    settings.rules.separation_weight = 1.0;
    let me = (v(10.0, 0.0, 0.0), Vec3::Z);
    // At distance 0.5 of 2: -(1,0,0)·(2-0.5)/2 = (-0.75,0,0). At distance 1 along y: (0,-0.5,0). Divided by n = 2.
    let (position, heading) = first_after(&settings, &[me, (v(10.5, 0.0, 0.0), Vec3::X), (v(10.0, 1.0, 0.0), Vec3::X)]);
    let expected = quarter_turn_to(v(-0.375, -0.25, 0.0));
    assert_near(heading, expected);
    assert_near(position, me.0 + expected * 2.0);
}

#[test]
fn heading_divides_separation_and_alignment_by_the_neighbors() {
    let mut settings = heading_settings();
    // Separation of one neighbor at distance 1: (-0.5,0,0); cohesion of it: (1,0,0). With weights 2 and 1 they cancel;
    // a second neighbor in the same place must not change that, as it would if separation were a plain sum.
    settings.rules.separation_weight = 2.0;
    settings.rules.cohesion_weight = 1.0;
    settings.rules.alignment_weight = 1.0;
    let (me, other) = ((Vec3::ZERO, Vec3::Z), (Vec3::X, v(0.6, 0.0, 0.8)));
    let expected = quarter_turn_to(other.1);
    assert_near(first_after(&settings, &[me, other]).1, expected);
    assert_near(first_after(&settings, &[me, other, other]).1, expected);
}

#[test]
fn heading_alignment_is_the_mean_heading() {
    let mut settings = heading_settings();
    settings.rules.alignment_weight = 0.3;
    let boids =
        [(Vec3::ZERO, Vec3::Z), (Vec3::X, Vec3::X), (Vec3::NEG_X, v(0.0, -0.6, 0.8)), (v(9.0, 0.0, 0.0), Vec3::NEG_X)];
    assert_near(first_after(&settings, &boids).1, quarter_turn_to(v(0.5, -0.3, 0.4)));
}

#[test]
fn heading_cohesion_points_at_the_mean_position() {
    let mut settings = heading_settings();
    settings.rules.cohesion_weight = 0.7;
    let boids = [(v(5.0, 5.0, 5.0), Vec3::Z), (v(6.0, 5.0, 5.0), Vec3::X), (v(5.0, 4.0, 6.0), Vec3::X)];
    assert_near(first_after(&settings, &boids).1, quarter_turn_to(v(0.5, -0.5, 0.5)));
}

/// The defect of the author's program: cohesion pulls a boid without neighbors to the origin.
#[test]
fn heading_leaves_a_lonely_boid_its_heading() {
    let mut settings = heading_settings();
    settings.rules.separation_weight = 1.0;
    settings.rules.alignment_weight = 1.0;
    settings.rules.cohesion_weight = 1.0;
    let me = (v(10.0, 20.0, -30.0), v(0.6, 0.0, 0.8));
    let far = (v(10.0, 20.0, -27.9), Vec3::X);
    for boids in [&[me][..], &[me, far][..]] {
        let (position, heading) = first_after(&settings, boids);
        assert_near(heading, me.1);
        assert_near(position, me.0 + me.1 * 2.0);
    }
}

#[test]
fn heading_is_pulled_by_the_nearest_target() {
    let mut settings = heading_settings();
    settings.targets = 16;
    settings.rules.target_weight = 0.01;
    let targets = settings.step_params(0).targets.map(|t| v(t[0], t[1], t[2]));
    let me = (v(1.0, 2.0, 3.0), Vec3::Z);
    let nearest = targets.into_iter().min_by(|a, b| a.distance(me.0).total_cmp(&b.distance(me.0))).expect("16 of them");
    assert_near(first_after(&settings, &[me]).1, quarter_turn_to(nearest - me.0));
    settings.rules.target_weight = -0.01;
    assert_near(first_after(&settings, &[me]).1, quarter_turn_to(me.0 - nearest));
}

#[test]
fn heading_clamps_the_slope_of_a_heading() {
    let mut settings = heading_settings();
    settings.rules.cohesion_weight = 1.0;
    settings.rules.turn_rate = 4.0;
    // A full turn to (0.6, 0.8, 0): y becomes 0.5, and the length 1 again.
    let boids = [(Vec3::ZERO, Vec3::Z), (v(0.6, 0.8, 0.0), Vec3::X)];
    assert_near(first_after(&settings, &boids).1, v(0.6, 0.5, 0.0).normalize());
}

/// The defect of the author's program: a heading along the world's up axis, or a zero heading, gives NaN.
#[test]
fn heading_survives_headings_without_direction() {
    let mut settings = heading_settings();
    settings.rules.cohesion_weight = 1.0;
    for (heading, neighbor) in
        [(Vec3::Y, v(0.0, 1.0, 0.0)), (Vec3::Y, v(0.0, -1.0, 0.0)), (Vec3::ZERO, Vec3::X), (Vec3::Z, Vec3::ZERO)]
    {
        for turn_rate in [0.0, 1.0, 2.0, 4.0] {
            settings.rules.turn_rate = turn_rate;
            let (position, heading) = first_after(&settings, &[(Vec3::ZERO, heading), (neighbor, Vec3::X)]);
            assert!(position.is_finite() && heading.is_finite());
        }
    }
    // Half way between opposite directions there is no direction: the heading stays.
    settings.rules.turn_rate = 2.0;
    assert_near(first_after(&settings, &[(Vec3::ZERO, Vec3::NEG_X), (Vec3::X, Vec3::X)]).1, Vec3::NEG_X);
}

#[test]
fn coincident_boids_repel_in_no_direction_but_count_otherwise_for_heading_only() {
    let mut settings = heading_settings();
    settings.rules.separation_weight = 1.0;
    let boids = [(Vec3::ONE, Vec3::Z), (Vec3::ONE, Vec3::X)];
    assert_near(first_after(&settings, &boids).1, Vec3::Z);
    settings.rules.alignment_weight = 1.0;
    assert_near(first_after(&settings, &boids).1, quarter_turn_to(Vec3::X));

    // `reynolds` leaves them out of all three, as its author's program does.
    let mut settings = steering_settings();
    settings.rules.separation_weight = 1.0;
    (settings.rules.alignment_weight, settings.rules.cohesion_weight) = (0.2, 0.2);
    assert_near(first_after(&settings, &boids).1, Vec3::Z);
    // With one more beside: steer = (0,3,0) - (0,0,1) by alignment, with that one alone.
    (settings.rules.separation_weight, settings.rules.cohesion_weight) = (0.0, 0.0);
    let beside = (Vec3::ONE + v(0.0, 0.0, 0.5), Vec3::Y);
    assert_near(first_after(&settings, &[boids[0], boids[1], beside]).1, v(0.0, 0.3, 0.9));
}

#[test]
fn reynolds_separation_weighs_by_the_inverse_square() {
    let mut settings = steering_settings();
    settings.rules.separation_weight = 0.5;
    // (p-p_j)/d²: (-0.5,0,0)/0.25 = (-2,0,0) and (0,-1,0)/1; the third is beyond Rs = 1.
    let boids =
        [(Vec3::ZERO, Vec3::Z), (v(0.5, 0.0, 0.0), Vec3::X), (v(0.0, 1.0, 0.0), Vec3::X), (v(0.0, 0.0, 1.5), Vec3::X)];
    let steer = v(-2.0, -1.0, 0.0).normalize() * 3.0 - Vec3::Z;
    let velocity = Vec3::Z + steer * 0.5 * 0.5;
    let (position, after) = first_after(&settings, &boids);
    assert_near(after, velocity);
    assert_near(position, velocity * 0.5);
}

#[test]
fn reynolds_alignment_and_cohesion_have_radii_of_their_own() {
    let boids = [(Vec3::ZERO, Vec3::Z), (v(1.5, 0.0, 0.0), Vec3::Y), (v(0.0, 3.0, 0.0), Vec3::X)];
    let mut settings = steering_settings();
    settings.rules.alignment_weight = 0.4;
    // Only the first neighbor is within Ra = 2.
    assert_near(first_after(&settings, &boids).1, Vec3::Z + (Vec3::Y * 3.0 - Vec3::Z) * 0.4 * 0.5);
    let mut settings = steering_settings();
    settings.rules.cohesion_weight = 0.4;
    // Both are within Rc = 4: ⟨p_j⟩ = (0.75, 1.5, 0).
    let steer = v(0.75, 1.5, 0.0).normalize() * 3.0 - Vec3::Z;
    assert_near(first_after(&settings, &boids).1, Vec3::Z + steer * 0.4 * 0.5);
}

#[test]
fn reynolds_limits_each_force_before_weighing_it() {
    let mut settings = steering_settings();
    settings.rules.alignment_weight = 0.5;
    settings.rules.cohesion_weight = 0.25;
    settings.rules.max_force = 0.8;
    let boids = [(Vec3::ZERO, Vec3::ZERO), (Vec3::X, v(0.0, 0.1, 0.0))];
    assert_near(first_after(&settings, &boids).1, (Vec3::Y * 0.4 + Vec3::X * 0.2) * 0.5);
}

#[test]
fn reynolds_limits_the_speed_and_a_lonely_boid_keeps_its_velocity() {
    let mut settings = steering_settings();
    settings.rules.cohesion_weight = 1.0;
    let me = (v(10.0, 0.0, -20.0), v(0.0, 2.0, 0.0));
    let (position, velocity) = first_after(&settings, &[me]);
    assert_near(velocity, me.1);
    assert_near(position, me.0 + me.1 * 0.5);
    // steer = (3,0,0) - (0,2,0), v + 0.5 · 4 · steer = (6,-2,0), cut to length 3.
    settings.rules.cohesion_weight = 4.0;
    let (_, velocity) = first_after(&settings, &[me, (me.0 + Vec3::X, Vec3::ZERO)]);
    assert_near(velocity, v(6.0, -2.0, 0.0).normalize() * 3.0);
}

#[test]
fn reynolds_walls_push_inward_axis_by_axis_and_only_from_outside() {
    let mut settings = steering_settings();
    settings.rules.wall_weight = 0.5;
    settings.world.center = v(1.0, 2.0, 3.0);
    settings.world.half_size = v(10.0, 20.0, 30.0);
    let inside = (v(10.9, -17.9, 0.0), v(0.0, 0.0, 1.0));
    assert_near(first_after(&settings, &[inside]).1, Vec3::Z);
    let outside = (v(11.1, -18.1, 40.0), v(0.0, 0.0, 1.0));
    assert_near(first_after(&settings, &[outside]).1, v(-0.25, 0.25, 0.75));
}

/// A neighbor exactly at the radius: `heading` does not count it, as its author's program, and `reynolds` does.
#[test]
fn the_radius_of_heading_is_exclusive_and_those_of_reynolds_are_inclusive() {
    let mut settings = heading_settings();
    settings.rules.cohesion_weight = 1.0;
    let heading_with = |x| first_after(&settings, &[(Vec3::ZERO, Vec3::Z), (v(x, 0.0, 0.0), Vec3::X)]).1;
    assert_near(heading_with(2.0), Vec3::Z);
    assert_near(heading_with(2.0_f32.next_down()), quarter_turn_to(Vec3::X));
    let mut settings = steering_settings();
    settings.rules.separation_weight = 0.2;
    let (_, velocity) = first_after(&settings, &[(Vec3::ZERO, Vec3::Z), (Vec3::X, Vec3::X)]);
    assert_near(velocity, v(-0.3, 0.0, 0.9));
}

/// Weight zero switches a rule off, and each rule has an effect on its own.
#[test]
fn every_rule_has_an_effect_and_none_at_weight_zero() {
    assert!(weights().count() >= 7);
    for row in PRESETS {
        let mut off = quiet(row.name).with_boids(200);
        (off.targets, off.walls, off.world) = (16, Walls::Push, row.settings().with_boids(200).world);
        // Some attract who do not align.
        off.rules.cohesion_radius *= 1.5;
        let mut start = spawn(&off);
        // Some boids are outside the walls, and some are near the cursor.
        start.position.iter_mut().take(20).for_each(|p| *p *= 1.5);
        start.position.iter_mut().skip(20).take(20).for_each(|p| *p = off.step_params(0).cursor + 0.1 * *p);
        let after = |settings: &Settings| {
            let mut state = start.clone();
            step_with(settings, &mut state, 0, Search::AllPairs);
            state
        };
        let still = after(&off);
        for i in 0..start.len() {
            assert_near(still.velocity[i], start.velocity[i]);
        }
        for weight in weights() {
            let mut on = off.clone();
            *(weight.field)(&mut on) = 1.0;
            let changed = after(&on) != still;
            let expected = off.reads(weight.setting);
            assert_eq!(changed, expected, "{} in {}", weight.setting.name(), row.name);
        }
    }
}
