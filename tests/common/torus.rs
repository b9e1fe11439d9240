//! Counts of neighbors on a torus by all pairs, in double precision and without any code of the program.
#![allow(dead_code, reason = "each test binary uses its own part")]

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use starlings::flock::random::{self, Stream};
use starlings::flock::{BoidState, Law, Settings, Walls, spawn};

/// How boids lie.
#[derive(Clone, Copy, Debug)]
pub enum Lie {
    /// Anywhere.
    Uniform,
    /// In a ball of half a radius, around a corner.
    Clump,
    /// On a line along x, on an edge of the world.
    Line,
    /// Within a radius of some corner.
    Corners,
    /// Anywhere on a plane.
    Plane,
    /// All in one place.
    Collapsed,
}

/// Every way to lie in which counts differ.
pub const LIES: [Lie; 5] = [Lie::Uniform, Lie::Clump, Lie::Line, Lie::Corners, Lie::Plane];

/// A flock of so many boids under the law that leaves counts in the state, whose world is `length` radii long along y
/// and z, and along x as long as a few dozen neighbors for each boid of a uniform flock require, but at least as long.
pub fn flock(boids: u32, length: f32, lie: Lie) -> (Settings, BoidState) {
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids);
    let mut settings = if matches!(lie, Lie::Plane) { settings.on_plane() } else { settings };
    settings = Settings { law: Law::Probe, walls: Walls::Wrap, seed: boids.into(), ..settings };
    let radius = settings.search_radius();
    let (across, is_flat) = (length * radius, settings.plane);
    let volume = boids as f32 / if is_flat { 2.0 } else { 1.0 };
    let along = (volume / if is_flat { across } else { across * across }).max(across);
    settings.world.half_size = 0.5 * Vec3::new(along, if is_flat { 0.0 } else { across }, across);
    settings.world.center = Vec3::new(0.3 * along, 0.0, -0.7 * across);
    let mut state = spawn(&settings);
    let (center, half_size) = (settings.world.center, settings.world.half_size);
    let unit = |i: usize, draw| random::in_cube(7, Stream::Position, i as u64, draw);
    for (i, place) in state.position.iter_mut().enumerate() {
        let corner = |which: Vec3| center + half_size * Vec3::select(which.cmplt(Vec3::ZERO), Vec3::NEG_ONE, Vec3::ONE);
        match lie {
            Lie::Uniform | Lie::Plane => *place = center + half_size * unit(i, 0),
            Lie::Clump => *place = corner(Vec3::ONE) + 0.5 * radius * random::in_ball(7, Stream::Position, i as u64),
            Lie::Line => *place = corner(Vec3::ONE).with_x(center.x + half_size.x * unit(i, 0).x),
            Lie::Corners => *place = corner(unit(i, 1)) + radius * unit(i, 0),
            Lie::Collapsed => *place = center,
        }
        *place = settings.torus().expect("walls that wrap").place(*place);
    }
    (settings, state)
}

/// How many neighbors the boids at each `stride`-th place have, by identity: at least, and at most where rounding may
/// decide.
pub fn counts(settings: &Settings, state: &BoidState, stride: usize) -> Vec<(u32, [u32; 2])> {
    let [low, high] = [-1.0, 1.0].map(|side| (settings.world.center + side * settings.world.half_size).as_dvec3());
    let (period, squared) = (high - low, f64::from(settings.search_radius()).powi(2));
    let count = |i: usize| {
        let mut found = [0, 0];
        for j in (0..state.len()).filter(|&j| j != i) {
            let offset = state.position[j].as_dvec3() - state.position[i].as_dvec3();
            let turns = (offset / period).round();
            let apart = offset - DVec3::select(period.cmpgt(DVec3::ZERO), turns * period, DVec3::ZERO);
            for (found, factor) in found.iter_mut().zip([1.0 - 1e-6, 1.0 + 1e-6]) {
                *found += u32::from(apart.length_squared() <= squared * factor);
            }
        }
        (state.id[i], found)
    };
    (0..state.len()).into_par_iter().step_by(stride).map(count).collect()
}

/// Compares what the law left in the velocities of `probed` with all pairs.
pub fn check(case: &str, settings: &Settings, state: &BoidState, probed: &BoidState) {
    let (probed, stride) = (probed.by_id(), state.len().div_ceil(1_025));
    let (mut all, mut undecided) = (0, 0);
    for (id, [least, most]) in counts(settings, state, stride) {
        let got = probed.velocity[id as usize].x;
        assert!((least as f32..=most as f32).contains(&got), "{case}: boid {id} has {got}, not {least} to {most}");
        (all, undecided) = (all + most, undecided + most - least);
    }
    assert!(undecided <= 2 + all / 1_000, "{case}: rounding decides for {undecided} of {all}");
}
