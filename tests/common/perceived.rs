//! Whom a boid perceives, by all pairs and without any code of the program: its field of view in double precision, and
//! the nearest few by squared distances as single precision rounds them, each operation by itself.
#![allow(dead_code, reason = "each test binary uses its own part")]

use super::kinds::Felt;
use super::torus::Lie;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use starlings::flock::{BoidState, Settings, Walls};

/// Flocks of so many boids on a torus, whose boids carry numbers in place of velocities: their sums tell who was
/// perceived. Every fourth boid is at the place of another, and with `is_lattice` many are equally near.
pub fn flock(boids: u32, lie: Lie, is_lattice: bool) -> (Settings, BoidState) {
    let (mut settings, mut state) = super::torus::flock(boids, 4.3, lie);
    let torus = settings.torus().expect("walls that wrap");
    // On the lattice, some are felt. No two places of it are one radius apart.
    settings.felt_distance = if is_lattice { 0.3 * settings.search_radius() } else { 0.0 };
    let quarter = 0.26 * settings.search_radius();
    for i in 0..state.len() {
        if is_lattice {
            let place = (state.position[i] / quarter).round() * quarter;
            state.position[i] = torus.place(if settings.plane { place.with_y(0.0) } else { place });
        } else if i % 4 == 3 {
            state.position[i] = state.position[i - 1];
        }
        state.velocity[i] = carried(i as u32);
    }
    (settings, state)
}

/// The same where there is no radius; without a torus every fifth boid is outside of the world.
pub fn without_radius(settings: &Settings, state: &BoidState, walls: Walls) -> (Settings, BoidState) {
    let (settings, mut state) = (Settings { walls, ..settings.clone().with_radius(f32::INFINITY) }, state.clone());
    if walls != Walls::Wrap {
        for place in state.position.iter_mut().step_by(5) {
            *place = settings.world.center + 3.0 * (*place - settings.world.center);
        }
    }
    (settings, state)
}

/// What boid `id` carries: whole numbers, whose sums over a neighborhood are exact.
fn carried(id: u32) -> Vec3 {
    let part = |factor: u32| (id.wrapping_mul(factor) % 4_093) as f32 - 2_046.0;
    Vec3::new(part(1_657), part(2_711), part(3_433))
}

/// What boid `i` would find, by the weights of its kind: the sum of what others carry, in whole numbers; that of the
/// ways to them, of their lengths, and how many they are. None where rounding decides about one whom it may see.
fn sums(settings: &Settings, felt: &Felt, state: &BoidState, i: usize) -> Option<(Vec3, DVec3, f64, usize)> {
    let (low, high) =
        (settings.world.center - settings.world.half_size, settings.world.center + settings.world.half_size);
    let half = (high - low) * 0.5;
    let (here, ahead) = (state.position[i], state.velocity[i].as_dvec3().normalize());
    let widest = f64::from(settings.view_angle).to_radians().cos();
    let radius = settings.rules.reach();
    let (mut seen, mut undecided) = (Vec::new(), Vec::new());
    for j in (0..state.len()).filter(|&j| j != i) {
        let there = state.position[j];
        let weights = felt.weights(state.id[i], state.id[j]);
        if weights == [0.0; 3] {
            continue;
        }
        let axis = |k: usize| {
            let offset = there[k] - here[k];
            let up = (there[k] - low[k]) + (high[k] - here[k]);
            let down = (high[k] - there[k]) + (here[k] - low[k]);
            if settings.walls != Walls::Wrap {
                offset
            } else if offset > half[k] {
                -down
            } else if offset < -half[k] {
                up
            } else {
                offset
            }
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        let squared = (x * x + y * y) + z * z;
        let offset = DVec3::new(x.into(), y.into(), z.into());
        let cosine = if squared == 0.0 { 1.0 } else { offset.normalize().dot(ahead) };
        let is_felt = squared <= settings.felt_distance * settings.felt_distance;
        let is_at_radius = (squared / (radius * radius) - 1.0).abs() < 1e-6;
        let is_at_angle = settings.view_angle < 180.0 && !is_felt && (cosine - widest).abs() < 1e-5;
        if is_at_radius || is_at_angle && squared <= radius * radius {
            undecided.push(squared);
        } else if squared <= radius * radius && (settings.view_angle == 180.0 || is_felt || cosine >= widest) {
            seen.push((squared, state.id[j], offset, weights));
        }
    }
    seen.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).expect("numbers"));
    let most = if settings.nearest == 0 { usize::MAX } else { settings.nearest as usize };
    seen.truncate(most);
    let farthest = if seen.len() == most { seen[most - 1].0 } else { f32::INFINITY };
    if undecided.iter().any(|&squared| squared <= farthest) {
        return None;
    }
    let mut found = (Vec3::ZERO, DVec3::ZERO, 0.0, seen.len());
    for (_, id, offset, [_, alignment, cohesion]) in seen {
        found.0 += carried(id) * alignment;
        found.1 += offset * f64::from(cohesion);
        found.2 += offset.length() * f64::from(cohesion.abs());
    }
    Some(found)
}

/// Compares the sums in `probed`, which step 0 of the law `probe` left, with all pairs: those in the velocities
/// exactly.
pub fn check(case: &str, settings: &Settings, state: &BoidState, probed: &BoidState) {
    let probed = probed.by_id();
    let felt = Felt::of(settings);
    // Of large flocks some 2,000 boids, each against all.
    let step = state.len().div_ceil(2_011);
    let checked = (0..state.len()).into_par_iter().step_by(step);
    let undecided = checked.filter(|&i| {
        let wanted = sums(settings, &felt, state, i);
        if let Some((carried, ways, lengths, terms)) = wanted {
            assert_eq!(probed.velocity[i], carried, "{case}: boid {i}");
            let off = probed.position[i].as_dvec3().distance(ways);
            // Each of so many additions, and of a few operations on each term, rounds: Higham, Accuracy and Stability
            // of Numerical Algorithms, (4.4). On the lattice, equal terms are rounded alike.
            let most = (terms + 8) as f64 * f64::from(f32::EPSILON) / 2.0;
            assert!(off <= most * lengths, "{case}: boid {i}: {off} of {lengths}");
        }
        wanted.is_none()
    });
    let undecided = undecided.count();
    // Among 20,000 within a radius of one another, a fifth of all boids have somebody at the edge of their view.
    assert!(undecided <= 1 + state.len() / step / 4, "{case}: rounding decides for {undecided}");
}

/// The ways to perceive that are tested: half the field of view in degrees, and how many count.
pub const WAYS: [(f32, u32); 5] = [(180.0, 1), (180.0, 7), (120.0, 0), (60.0, 3), (150.0, 32)];
