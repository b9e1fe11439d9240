//! Noise, limited turns and a least speed, with numbers calculated by hand and by what the noise is said to be.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use glam::Vec3;
use starlings::flock::{BoidState, NoiseForm, Search, Settings, Walls};
use starlings::reference::step_with;
use std::f32::consts::TAU;

/// `reynolds` with steps of 0.5 s and speeds up to 4; nothing but its velocity moves a boid.
fn straight() -> Settings {
    let mut settings = Settings { time_step: 0.5, ..quiet("reynolds") };
    (settings.rules.max_speed, settings.rules.max_force) = (4.0, 100.0);
    settings
}

#[test]
fn no_boid_is_slower_than_the_least_speed() {
    let settings = Settings { min_speed: 3.0, ..straight() };
    let after = |velocity| first_after(&settings, &[(Vec3::ZERO, velocity)]);
    let (position, velocity) = after(v(0.0, 0.6, -0.8));
    assert_near(velocity, v(0.0, 1.8, -2.4));
    assert_near(position, v(0.0, 0.9, -1.2));
    assert_eq!(after(v(3.5, 0.0, 0.0)), (v(1.75, 0.0, 0.0), v(3.5, 0.0, 0.0)));
    assert_eq!(after(Vec3::ZERO), (Vec3::ZERO, Vec3::ZERO), "without a direction it stays");
    // What slows it to a stop leaves its direction: a current of no speed, by 100 for half a second.
    let stopped = Settings { current: v(1e-6, 0.0, 0.0), current_weight: 2.0, ..settings.clone() };
    let (_, velocity) = first_after(&stopped, &[(Vec3::ZERO, v(0.0, 2.0, 0.0))]);
    assert!((velocity.length() - 3.0).abs() < 1e-5, "{velocity}");
    let refused = Settings { min_speed: 5.0, ..settings }.validate().expect_err("faster than the fastest");
    assert_eq!(refused.to_string(), "min_speed is 5; accepted is at most 4, the max_speed");
}

#[test]
fn turns_are_limited() {
    // 60 degrees per second for half a second.
    let limited = |settings: Settings| Settings { max_turn: 60.0, ..settings };
    let wind = |settings: Settings, current| Settings { current, current_weight: 2.0, ..settings };
    // To (4,0,0), from (0,0,2): 90 degrees, of which 30 are taken, at the new speed.
    let settings = limited(wind(straight(), v(4.0, 0.0, 0.0)));
    let (_, velocity) = first_after(&settings, &[(Vec3::ZERO, v(0.0, 0.0, 2.0))]);
    assert_near(velocity, v(0.5, 0.0, 0.866_025_4) * 4.0);
    // The other way round leads around some side, or on a plane along it.
    let back = limited(wind(straight(), v(0.0, 0.0, -4.0)));
    for settings in [back.clone(), back.with_plane(true)] {
        let settings = Settings { walls: Walls::None, ..settings };
        let (_, velocity) = first_after(&settings, &[(Vec3::ZERO, v(0.0, 0.0, 2.0))]);
        assert!((velocity.normalize().z - 0.866_025_4).abs() < 1e-5, "{velocity}");
        assert!(!settings.plane || velocity.y == 0.0, "{velocity}");
    }
    // A law with a constant speed: a heading that would turn to (1,0,0).
    let mut heading = Settings { time_step: 0.5, ..quiet("bitonic") };
    (heading.rules.move_speed, heading.rules.max_force) = (2.0, 1e6);
    let heading = limited(wind(heading, v(1e5, 0.0, 0.0)));
    let (position, direction) = first_after(&heading, &[(Vec3::ZERO, Vec3::Z)]);
    assert_near(direction, v(0.5, 0.0, 0.866_025_4));
    assert_near(position, direction);
    // Less than the limit is not touched.
    let gentle = limited(wind(straight(), v(0.0, 0.0, 4.0)));
    assert_near(first_after(&gentle, &[(Vec3::ZERO, v(0.1, 0.0, 2.0))]).1, v(0.0, 0.0, 4.0));
}

/// Directions after one step of many boids, none of which sees another, that all headed along `before`.
fn directions(settings: &Settings, before: Vec3) -> Vec<Vec3> {
    let boids = 20_000;
    let settings = Settings { boids, walls: Walls::None, ..settings.clone().with_world_size(4_200.0) };
    let place = |i: u32| v(10.0 * (i % 200) as f32, 0.0, 10.0 * (i / 200) as f32);
    let mut state = BoidState {
        position: (0..boids).map(place).collect(),
        velocity: vec![before; boids as usize],
        id: (0..boids).collect(),
    };
    step_with(&settings, &mut state, 3, Search::SortedGrid);
    state.velocity.iter().map(|velocity| velocity.normalize()).collect()
}

fn mean(numbers: impl Iterator<Item = f32>) -> f64 {
    let numbers: Vec<f64> = numbers.map(f64::from).collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Uniform in a cone: the cosine of the angle is uniform, and no side is preferred.
#[test]
fn angular_noise_is_uniform_in_a_cone() {
    let before = v(0.6, 0.0, -0.8);
    for (settings, noise) in [straight(), quiet("bitonic"), quiet("counting-sort")]
        .into_iter()
        .flat_map(|settings| [0.5, 2.0, TAU].map(|noise| (settings.clone(), noise)))
    {
        let after = directions(&Settings { noise, ..settings }, before);
        let least = (0.5 * noise).cos();
        assert!(after.iter().all(|after| after.dot(before) >= least - 1e-5), "{noise}");
        let share = |after: &Vec3| (after.dot(before) - least) / (1.0 - least);
        // Of 20,000: one deviation is 0.002.
        assert!((mean(after.iter().map(share)) - 0.5).abs() < 0.01, "{noise}");
        assert!((mean(after.iter().map(|after| share(after).powi(2))) - 1.0 / 3.0).abs() < 0.01, "{noise}");
        for side in [Vec3::Y, v(0.8, 0.0, 0.6)] {
            assert!(mean(after.iter().map(|after| after.dot(side))).abs() < 0.01, "{noise}: along {side}");
        }
    }
}

/// On a plane the angle is uniform, and nobody leaves the plane.
#[test]
fn angular_noise_on_a_plane_is_uniform_to_both_sides() {
    let before = v(0.6, 0.0, -0.8);
    for (settings, noise) in [straight(), quiet("bitonic")]
        .into_iter()
        .flat_map(|settings| [0.5, TAU].map(|noise| (settings.clone(), noise)))
    {
        let settings = Settings { noise, ..settings.with_plane(true) };
        let after = directions(&settings, before);
        assert!(after.iter().all(|after| after.y == 0.0));
        let angles = after.iter().map(|after| before.cross(*after).y.atan2(before.dot(*after)) / noise);
        assert!(angles.clone().all(|angle| (-0.500_01..=0.500_01).contains(&angle)), "{noise}");
        // Of a uniform number in -1/2..1/2: mean 0, square 1/12.
        assert!(
            mean(angles.clone()).abs() < 0.01 && (mean(angles.map(|a| a * a)) - 1.0 / 12.0).abs() < 0.002,
            "{noise}"
        );
    }
}

/// h + η ξ with a unit vector ξ: by the length η at most asin η aside, and as often to each side.
#[test]
fn vectorial_noise_is_a_random_vector_of_its_length() {
    let before = v(0.6, 0.0, -0.8);
    for settings in [straight(), quiet("bitonic"), straight().with_plane(true)] {
        let settings = Settings { noise: 0.5, noise_form: NoiseForm::Vectorial, ..settings };
        let after = directions(&settings, before);
        let widest = after.iter().map(|after| after.dot(before).min(1.0).acos()).fold(0.0, f32::max);
        assert!(widest <= 0.5f32.asin() + 1e-4 && widest > 0.5, "{widest}");
        assert!(mean(after.iter().map(|after| after.dot(v(0.8, 0.0, 0.6)))).abs() < 0.01);
        assert!(after.iter().all(|after| !settings.plane || after.y == 0.0));
    }
    // The mean alone decides where noise is longer than it: with two neighbors that head apart, alignment has length 0.
    let mut settings = quiet("counting-sort").with_radius(2.0);
    (settings.rules.alignment_weight, settings.rules.turn_rate, settings.time_step) = (1.0, 4.0, 0.25);
    (settings.noise, settings.noise_form) = (0.3, NoiseForm::Vectorial);
    let boids = [(Vec3::ZERO, Vec3::Z), (Vec3::X, v(0.8, 0.0, 0.6)), (-Vec3::X, v(-0.8, 0.0, -0.6))];
    let (_, heading) = first_after(&settings, &boids);
    let noise = first_after(&Settings { boids: 1, ..settings }, &boids[..1]).1;
    assert_near(heading, noise);
}
