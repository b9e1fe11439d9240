//! The law `zones`, and whom a boid feels, with numbers calculated by hand.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use glam::Vec3;
use starlings::flock::Settings;
use std::f32::consts::FRAC_1_SQRT_2;

/// Radii 1, 2 and 4, all weights 1, and a speed of 2 in steps of 0.5 s; seen all around, without noise.
fn zones() -> Settings {
    let settings = quiet("couzin");
    let mut settings = Settings { time_step: 0.5, noise: 0.0, max_turn: 0.0, view_angle: 180.0, ..settings };
    let rules = &mut settings.rules;
    (rules.separation_radius, rules.alignment_radius, rules.cohesion_radius) = (1.0, 2.0, 4.0);
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (1.0, 1.0, 1.0);
    rules.move_speed = 2.0;
    settings
}

const ME: (Vec3, Vec3) = (Vec3::ZERO, Vec3::Z);
const NEAR: (Vec3, Vec3) = (Vec3::new(0.5, 0.0, 0.0), Vec3::X);
const AROUND: (Vec3, Vec3) = (Vec3::new(0.0, 1.5, 0.0), Vec3::Y);
const FARTHER: (Vec3, Vec3) = (Vec3::new(0.0, 0.0, -3.0), Vec3::X);

fn heading(settings: &Settings, others: &[(Vec3, Vec3)]) -> Vec3 {
    first_after(settings, &[&[ME], others].concat()).1
}

#[test]
fn repulsion_goes_before_all_else_and_does_not_ask_how_near() {
    let mut settings = zones();
    let (position, velocity) = first_after(&settings, &[ME, NEAR, AROUND, FARTHER]);
    assert_eq!((position, velocity), (-Vec3::X, -Vec3::X));
    let other = (v(0.0, 0.25, 0.0), Vec3::X);
    assert_near(heading(&settings, &[NEAR, other]), v(-FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0));
    // In the same place, or with another on the far side: too near, in no direction.
    assert_near(heading(&settings, &[(Vec3::ZERO, Vec3::X), AROUND]), Vec3::Z);
    assert_near(heading(&settings, &[NEAR, (-NEAR.0, Vec3::X), AROUND]), Vec3::Z);
    // Without repulsion, who is near is around.
    settings.rules.separation_weight = 0.0;
    assert_near(heading(&settings, &[NEAR, AROUND]), v(FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0));
}

#[test]
fn orientation_and_attraction_are_summed() {
    let mut settings = zones();
    assert_near(heading(&settings, &[AROUND]), Vec3::Y);
    assert_near(heading(&settings, &[FARTHER]), -Vec3::Z);
    assert_near(heading(&settings, &[AROUND, FARTHER]), v(0.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2));
    (settings.rules.alignment_weight, settings.rules.cohesion_weight) = (3.0, 4.0);
    assert_near(heading(&settings, &[AROUND, FARTHER]), v(0.0, 0.6, -0.8));
    // Who is farther attracts by direction alone, and nobody beyond.
    let both = [(v(0.0, 0.0, -2.5), Vec3::X), (v(3.5, 0.0, 0.0), Vec3::X), (v(0.0, 4.5, 0.0), Vec3::X)];
    assert_near(heading(&settings, &both), v(FRAC_1_SQRT_2, 0.0, -FRAC_1_SQRT_2));
    assert_near(heading(&settings, &[]), Vec3::Z);
}

#[test]
fn zones_end_at_their_radii_inclusively() {
    let settings = zones();
    assert_near(heading(&settings, &[(Vec3::X, Vec3::Y)]), -Vec3::X);
    assert_near(heading(&settings, &[(Vec3::X * 2.0, Vec3::Y)]), Vec3::Y);
    assert_near(heading(&settings, &[(Vec3::X * 4.0, Vec3::Y)]), Vec3::X);
}

/// As Vicsek et al. have it: the mean of two headings, (1,0,0) and its own, (0,0,1).
#[test]
fn its_own_heading_counts_as_that_of_a_neighbor() {
    let mut settings = zones();
    let other = (v(0.0, 1.5, 0.0), Vec3::X);
    assert_near(heading(&settings, &[other]), Vec3::X);
    settings.rules.own_weight = 1.0;
    assert_near(heading(&settings, &[other]), v(FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2));
    settings.rules.own_weight = 0.75;
    assert_near(heading(&settings, &[other]), v(0.8, 0.0, 0.6));
    assert_near(heading(&settings, &[]), Vec3::Z);
}

/// Who is behind is not seen, but felt if near: as the zone of repulsion of Couzin et al. has no blind volume.
#[test]
fn the_near_are_felt_on_all_sides() {
    let mut settings = Settings { view_angle: 90.0, felt_distance: 0.0, ..zones() };
    let (behind, beside) = ((v(0.3, 0.0, -0.4), Vec3::X), (v(1.5, 0.0, 0.1), Vec3::Y));
    assert_near(heading(&settings, &[behind, beside]), Vec3::Y);
    settings.felt_distance = 0.5;
    assert_near(heading(&settings, &[behind, beside]), v(-0.6, 0.0, 0.8));
    settings.felt_distance = 0.49;
    assert_near(heading(&settings, &[behind]), Vec3::Z);
}
