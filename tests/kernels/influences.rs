//! The influences on boids: against the twin, and their effects.

use crate::common;
use glam::Vec3;
use starlings::flock::layout::{MovementWeights, Point};
use starlings::flock::search::{SEARCHES, SearchInfo};
use starlings::flock::{BoidState, PRESETS, Preset, Settings, Walls, spawn};
use starlings::reference;

const NONE: MovementWeights = MovementWeights { target: 0.0, leader: 0.0, current: 0.0, speed: 1.0 };

/// A flock whose law has no effect.
fn lawless() -> Settings {
    let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(200);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (0.0, 0.0, 0.0);
    rules.wall_weight = 0.0;
    settings
}

/// The flock after one step, by number, and as it was spawned.
fn step(settings: &Settings, weights: Option<&[MovementWeights]>) -> Option<(BoidState, BoidState)> {
    let device = common::device()?;
    let mut simulation = common::simulation(&device, settings, None);
    if let Some(weights) = weights {
        simulation.flock_mut().set_movement_weights(weights).expect("the weights go up");
    }
    simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
    Some((spawn(settings), simulation.flock().state().expect("the state comes back").by_id()))
}

#[test]
fn influences_are_the_twins() {
    are_the_twins(crate::laws());
}

#[test]
#[ignore = "long: each law by each search"]
fn influences_are_the_twins_by_each_search() {
    are_the_twins(crate::laws_by_searches());
}

/// Ten steps with all influences, on half of the flock, and walls that push.
fn are_the_twins(pairs: impl Iterator<Item = (&'static Preset, &'static SearchInfo)>) {
    let Some(device) = common::device() else { return };
    for (row, info) in pairs {
        let mut settings = row.settings().with_boids(300);
        (settings.search, settings.leader, settings.targets) = (info.search, Some(17), 4);
        (settings.leader_weight, settings.influenced, settings.walls) = (0.7, 0.5, Walls::Push);
        settings.max_turn = 0.0;
        settings.current = Vec3::new(2.0, -1.0, 0.5);
        let edge = settings.world.half_size.x;
        let point = |position, strength| Point { position, reach: 0.8 * edge, strength };
        settings.points = vec![point(Vec3::ZERO, 5.0), point(Vec3::new(edge, 0.3, -0.5), -7.0)];
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.advance(10).and_then(|()| simulation.wait()).expect("the steps run");
        let got = simulation.flock().state().expect("the state comes back").by_id();
        let mut want = spawn(&settings);
        let mut law_alone = want.clone();
        let points = Vec::new();
        let without = Settings { leader: None, targets: 0, current: Vec3::ZERO, points, ..settings.clone() };
        for step in 0..10 {
            reference::step(&settings, &mut want, step);
            reference::step(&without, &mut law_alone, step);
        }
        let (want, law_alone) = (want.by_id(), law_alone.by_id());
        let mut changed = 0;
        for i in 0..got.len() {
            // Rounding errors are still small after ten steps: see `free_courses_stay_as_close_as_rounding_lets_them`.
            let (off, speed) = (got.velocity[i].distance(want.velocity[i]), want.velocity[i].length());
            assert!(off < 1e-4 * speed.max(1.0), "{} by {}: boid {i} is {off} off", row.name, info.name);
            changed += u32::from(want.velocity[i].distance(law_alone.velocity[i]) > 0.05);
        }
        assert!((100..=300).contains(&changed), "{}: {changed} of 300 are influenced", row.name);
    }
}

/// The walls are applied once, with or without influences: a negligible influence changes a boid by rounding only.
#[test]
fn a_leader_of_no_weight_changes_nobody_at_a_wall() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = Settings { walls: Walls::Bounce, seed: 34, ..row.settings().with_boids(300).with_density(20.0) };
        let [plain, led] = [None, Some(5)].map(|leader| {
            let settings = Settings { leader, leader_weight: 1e-6, ..settings.clone() };
            let mut simulation = common::simulation(&device, &settings, None);
            simulation.advance(2).and_then(|()| simulation.wait()).expect("the steps run");
            simulation.flock().state().expect("the state comes back").by_id()
        });
        for i in 0..300 {
            let off = plain.position[i].distance(led.position[i]) / (1.0 + plain.position[i].length());
            assert!(off < 1e-6, "{}: boid {i} is {off} off", row.name);
        }
    }
}

/// Followers use the leader's position before the step: it flies fast, and they start at rest.
#[test]
fn followers_turn_to_where_the_leader_was() {
    let Some(device) = common::device() else { return };
    let mut settings = Settings { leader: Some(5), ..lawless() };
    settings.rules.max_speed = 1e3;
    settings.rules.max_force = 1e4;
    let mut state = spawn(&settings);
    state.velocity.fill(Vec3::ZERO);
    state.velocity[5] = Vec3::X * 900.0;
    for info in SEARCHES {
        let settings = Settings { search: info.search, ..settings.clone() };
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.flock_mut().set_state(&state).expect("the state goes up");
        simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
        let after = simulation.flock().state().expect("the state comes back").by_id();
        assert_eq!(after.velocity[5], state.velocity[5], "the leader follows nobody");
        for i in (0..200).filter(|&i| i != 5) {
            let towards = (state.position[5] - state.position[i]).normalize();
            let cosine = after.velocity[i].normalize().dot(towards);
            assert!(cosine > 0.9999, "{}: boid {i} is off by {cosine}", info.name);
        }
    }
}

#[test]
fn each_boid_has_weights_of_its_own_and_the_rest_stays_with_the_law() {
    let settings = Settings { leader: Some(0), current: Vec3::Y * 3.0, targets: 16, ..lawless() };
    let mut weights = vec![NONE; 200];
    let Some((before, still)) = step(&settings, Some(&weights)) else { return };
    assert_eq!(still.velocity, before.velocity);
    weights[7] = MovementWeights { current: 2.0, ..NONE };
    weights[8] = MovementWeights { leader: -1.0, ..NONE };
    weights[9] = MovementWeights { target: 1.0, ..NONE };
    let (_, after) = step(&settings, Some(&weights)).expect("there is a device");
    let moved: Vec<usize> = (0..200).filter(|&i| after.velocity[i] != before.velocity[i]).collect();
    assert_eq!(moved, [7, 8, 9]);
    let change = |i: usize| after.velocity[i] - before.velocity[i];
    assert!(change(7).dot(settings.current - before.velocity[7]) > 0.0);
    let away = before.position[8] - before.position[0];
    assert!(before.velocity[8].dot(away) < after.velocity[8].dot(away), "a weight below zero flees");
    let params = settings.step_params(0);
    let targets = params.targets.map(|t| Vec3::new(t[0], t[1], t[2]));
    let nearest = |p: Vec3| targets.into_iter().min_by(|a, b| a.distance(p).total_cmp(&b.distance(p))).expect("16");
    let towards = nearest(before.position[9]) - before.position[9];
    let wanted = towards.normalize() * settings.rules.max_speed - before.velocity[9];
    assert!(change(9).normalize().dot(wanted.normalize()) > 0.9999);
}

/// By hand: full strength at the point, none from its reach on, and nothing without a direction.
#[test]
fn points_pull_and_push_within_their_reach() {
    let point = |strength| Point { position: Vec3::new(1.0, 2.0, 3.0), reach: 4.0, strength };
    for (strength, sign) in [(3.0, 1.0), (-3.0, -1.0)] {
        let mut settings = Settings { points: vec![point(strength)], ..lawless() };
        settings.rules.max_speed = 1e3;
        let mut state = spawn(&settings);
        state.velocity.fill(Vec3::ZERO);
        let offsets = [Vec3::X, Vec3::Y * -3.0, Vec3::Z * 4.0, Vec3::X * 9.0, Vec3::ZERO];
        for (boid, offset) in offsets.into_iter().enumerate() {
            state.position[boid] = point(0.0).position + offset;
        }
        let Some(device) = common::device() else { return };
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.flock_mut().set_state(&state).expect("the state goes up");
        simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
        let after = simulation.flock().state().expect("the state comes back").by_id();
        let wanted = [Vec3::X * -0.75, Vec3::Y * 0.25, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        for (boid, wanted) in wanted.into_iter().enumerate() {
            let wanted = wanted * 3.0 * sign * settings.time_step;
            let off = after.velocity[boid].distance(wanted);
            assert!(off < 1e-6, "strength {strength}: boid {boid} is {off} off");
        }
    }
}

#[test]
fn only_a_flock_with_a_leader_has_a_pass_for_it() {
    let Some(device) = common::device() else { return };
    for (leader, current, passes) in [(None, Vec3::ZERO, 0), (None, Vec3::X, 0), (Some(3), Vec3::ZERO, 1)] {
        let mut simulation = common::simulation(&device, &Settings { leader, current, ..lawless() }, None);
        let journal = simulation.advance_noting().expect("the step runs");
        simulation.wait().expect("the device is alive");
        assert_eq!(journal.passes().filter(|pass| pass.name == "find_leader").count(), passes);
        let steer = journal.passes().find(|pass| pass.name == "steer").expect("every step has one");
        let reads = |name| steer.uses.iter().any(|of| of.resource == name);
        let influenced = leader.is_some() || current != Vec3::ZERO;
        assert_eq!((reads("movement_weights"), reads("leader_position")), (influenced, leader.is_some()));
    }
}
