//! Neighborhoods and order parameters on a device against their twins: counts exact, sums within the tolerance of
//! `starlings::flock::order`, at several sizes and by every search.

use crate::common::placements::{self, Placement};
use crate::{all, common};
use glam::Vec3;
use starlings::flock::order::{Observed, WITHIN};
use starlings::flock::random::{self, Stream};
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, FAR, Observation, OrderParameters, Search, Settings};
use starlings::limits::{ORDER_GROUPS, WORKGROUP_SIZE};
use starlings::reference::Ordered;
use starlings::reference::order::{self, Seen};
use starlings::simulation::Simulation;
use starlings::vk::Device;
use std::sync::Arc;

/// Relative error of a squared distance in single precision: a boid that close to the radius may be in or out.
const BORDER: f64 = 1.0 / (1u32 << 20) as f64;

/// Boids: around subgroups and workgroups, and more than the workgroups of a sum take in one iteration.
const SUMMED: &[u32] = &[1, 2, 7, 33, 255, 257, 1_025, 65_537, ORDER_GROUPS * WORKGROUP_SIZE + 33];

/// A device's results for `state`: each boid's neighborhood by identity, and the order parameters.
fn seen_by(device: &Arc<Device>, settings: &Settings, state: &BoidState) -> (Vec<Observed>, OrderParameters) {
    let mut simulation = Simulation::new(device, settings).expect("a flock of valid settings fits");
    simulation.flock_mut().set_state_at(state, 41).expect("the state goes up");
    simulation.advance_observed(1, Observation::Order).expect("the device is alive");
    simulation.wait().expect("the device is alive");
    let flock = simulation.flock();
    let observed: Vec<Observed> = all(flock.observer().expect("it is observed").observed());
    let mut by_id = vec![Observed::default(); state.len()];
    for (seen, id) in observed.into_iter().zip(flock.state().expect("it comes back").id) {
        by_id[id as usize] = seen;
    }
    (by_id, simulation.order().expect("it was asked for"))
}

/// The twin's neighborhood of each boid, by identity, with the squared search radius scaled by `factor`.
fn twin(settings: &Settings, state: &BoidState, factor: f64) -> Vec<Seen> {
    let mut settings = Settings { search: Search::SortedGrid, ..settings.clone() };
    let radius = (f64::from(settings.search_radius()).powi(2) * factor).sqrt() as f32;
    settings = settings.with_radius(radius);
    let sorted = Ordered::of(&settings, state);
    let seen = order::observe(&settings.step_params(0), &sorted);
    let mut by_id = vec![Seen::default(); state.len()];
    for (seen, id) in seen.into_iter().zip(&sorted.flock.id) {
        by_id[*id as usize] = seen;
    }
    by_id
}

/// Fails unless `got` is `want` within the errors of single precision.
fn check(what: &str, settings: &Settings, state: &BoidState, (boids, got): &(Vec<Observed>, OrderParameters)) {
    let (fewest, most) = (twin(settings, state, 1.0 - BORDER), twin(settings, state, 1.0 + BORDER));
    let mut seen = Vec::new();
    for (id, boid) in boids.iter().enumerate() {
        let (least, most) = (fewest[id], most[id]);
        assert!((least.neighbors..=most.neighbors).contains(&boid.neighbors), "{what}: boid {id} has {boid:?}");
        let nearest = if boid.neighbors > 0 { most.nearest } else { 0.0 };
        assert!(
            (f64::from(boid.nearest) - nearest).abs() <= WITHIN * nearest,
            "{what}: boid {id} has {boid:?}, {most:?}"
        );
        seen.push(Seen { neighbors: boid.neighbors, nearest });
    }
    // Given the device's decisions at the border, each sum has one correct value.
    let want = order::order(settings, &state.by_id(), &seen, 41);
    assert_eq!((got.step, got.alone, got.non_finite), (want.step, want.alone, want.non_finite), "{what}");
    assert_eq!(got.most_neighbors, want.most_neighbors, "{what}");
    let near = |got: f64, want: f64, within: f64| (got - want).abs() <= within;
    let relative = |got: f64, want: f64| near(got, want, WITHIN * want.abs());
    assert!(near(got.polarization, want.polarization, WITHIN), "{what}: {got:?}, {want:?}");
    for (got, want) in [
        (got.speed, want.speed),
        (got.least_speed, want.least_speed),
        (got.most_speed, want.most_speed),
        (got.neighbors, want.neighbors),
        (got.nearest.unwrap_or(-1.0), want.nearest.unwrap_or(-1.0)),
    ] {
        assert!(relative(got, want), "{what}: {got} instead of {want}");
    }
    // Offsets are measured from a boid, so the center's error is relative to the flock's extent.
    let center = glam::DVec3::from_array(want.center);
    let away: Vec<f64> = state.position.iter().map(|p| p.as_dvec3().distance(center)).collect();
    let off = WITHIN * away.iter().copied().fold(0.0, f64::max) + f64::from(f32::EPSILON) * center.length();
    assert!(glam::DVec3::from_array(got.center).distance(center) <= off, "{what}: {got:?}, {want:?}");
    // The direction from a boid to the center has the error of the center over its distance.
    let turned = away.iter().map(|away| (off / away.max(f64::MIN_POSITIVE)).min(2.0)).sum::<f64>() / away.len() as f64;
    assert!(near(got.milling, want.milling, WITHIN + turned), "{what}: {got:?}, {want:?}");
}

#[test]
fn neighborhoods_and_sums_are_those_of_the_twin_at_every_size() {
    let Some(device) = common::device() else { return };
    let (few, many): (&[u32], &[u32]) = (&[33, 4_097], SUMMED);
    for (preset, sizes) in [("reynolds", many), ("counting-sort", few)] {
        for &boids in sizes {
            let settings = placements::settings(preset, boids, Placement::Uniform);
            let state = placements::place(&settings, Placement::Uniform);
            let seen = seen_by(&device, &settings, &state);
            check(&format!("{boids} boids of {preset}"), &settings, &state, &seen);
        }
    }
}

#[test]
fn every_search_sees_the_same() {
    let Some(device) = common::device() else { return };
    for info in SEARCHES {
        for (boids, placement) in [(1, Placement::Uniform), (2_500, Placement::Outside), (700, Placement::OneCell)] {
            let mut settings = placements::settings("reynolds", boids, placement);
            settings.search = info.search;
            let state = placements::place(&settings, placement);
            let seen = seen_by(&device, &settings, &state);
            check(&format!("{}, {boids} boids, {placement:?}", info.name), &settings, &state, &seen);
        }
    }
}

/// Flocks with known order parameters.
#[test]
fn wheels_and_columns_are_told_apart() {
    let Some(device) = common::device() else { return };
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(4_003);
    let far = Vec3::new(20.0, -3.0, 8.0);
    let mut state = placements::place(&settings, Placement::Uniform);
    for i in 0..state.len() {
        let place = random::direction(5, Stream::Position, i as u64);
        let rim = Vec3::new(place.x, 0.0, place.z).normalize();
        state.position[i] = far + 5.0 * rim;
        state.velocity[i] = 2.5 * Vec3::Y.cross(rim);
    }
    let (_, wheel) = seen_by(&device, &settings, &state);
    assert!(wheel.milling > 0.999 && wheel.polarization < 0.05, "{wheel:?}");
    assert!((wheel.speed - 2.5).abs() < 1e-5 && wheel.alone == 0, "{wheel:?}");
    state.velocity.fill(Vec3::new(0.0, 0.0, -3.0));
    let (_, column) = seen_by(&device, &settings, &state);
    assert!((column.polarization - 1.0).abs() < 1e-5 && column.milling < 0.05, "{column:?}");
    // All in one place with zero velocity: no division by zero.
    state.position.fill(far);
    state.velocity.fill(Vec3::ZERO);
    let (_, heap) = seen_by(&device, &settings, &state);
    assert_eq!((heap.polarization, heap.milling, heap.speed, heap.nearest), (0.0, 0.0, 0.0, Some(0.0)));
    assert_eq!((heap.most_neighbors, heap.neighbors), (4_002, 4_002.0));
    assert_eq!(heap.center, far.as_dvec3().to_array());
}

/// A thousand non-finite boids among as many others, and none but such: counted, and in no other number.
#[test]
fn non_finite_boids_are_counted_and_left_out() {
    let Some(device) = common::device() else { return };
    for info in SEARCHES {
        let settings = placements::settings("reynolds", 2_001, Placement::Uniform);
        let settings = Settings { search: info.search, ..settings };
        let mut state = placements::place(&settings, Placement::Uniform);
        let fewer = Settings { boids: 1_001, ..settings.clone() };
        let alive: Vec<u32> = (0..2_001).step_by(2).collect();
        let others = BoidState { id: (0..1_001).collect(), ..state.in_order(&alive) };
        // Of those that are not finite a step makes what `contained` does.
        for i in (1..2_001).step_by(2) {
            state.position[i] = if i % 4 == 1 { Vec3::splat(f32::NAN) } else { Vec3::splat(FAR) };
            state.velocity[i] = Vec3::ZERO;
        }
        let (_, order) = seen_by(&device, &settings, &state);
        let (seen, want) = seen_by(&device, &fewer, &others);
        check(info.name, &fewer, &others, &(seen, want));
        let counts = |order: &OrderParameters| (order.alone, order.most_neighbors);
        assert_eq!((order.non_finite, want.non_finite, counts(&order)), (1_000, 0, counts(&want)), "{}", info.name);
        let twin = order::order_parameters(&settings, &state, 41);
        assert_eq!((twin.non_finite, twin.alone), (1_000, order.alone), "{}", info.name);
        for (got, want) in [
            (order.polarization, want.polarization),
            (order.milling, want.milling),
            (order.neighbors, want.neighbors),
            (order.nearest.unwrap_or(-1.0), want.nearest.unwrap_or(-1.0)),
            (order.speed, want.speed),
            (order.least_speed, want.least_speed),
            (order.most_speed, want.most_speed),
            (glam::DVec3::from_array(order.center).distance(glam::DVec3::from_array(want.center)), 0.0),
            (twin.polarization, want.polarization),
            (twin.speed, want.speed),
        ] {
            // Both sums are off by as much, at most; the world is some ten units wide.
            assert!(
                (got - want).abs() <= 20.0 * WITHIN * want.abs().max(1.0),
                "{}: {got} instead of {want}",
                info.name
            );
        }
        state.position.fill(Vec3::splat(f32::INFINITY));
        let (_, none) = seen_by(&device, &settings, &state);
        let twin = order::order_parameters(&settings, &state, 41);
        assert_eq!(
            (none.non_finite, none.alone, none.nearest, none.least_speed),
            (2_001, 0, None, 0.0),
            "{}",
            info.name
        );
        assert_eq!(none, twin, "{}", info.name);
    }
}
