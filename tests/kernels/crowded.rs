//! Flocks that clump: the crowding that the device reports, and the slices in which they are steered.

use crate::common::placements::{self, Placement};
use crate::common::twin::{TOLERANCE, distances};
use crate::sorting::sort_on;
use crate::{Sorted, common, sorted_state};
use glam::Vec3;
use starlings::flock::layout::Crowding;
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::{BoidState, Search, Settings};
use starlings::reference::scan_reduce;
use starlings::simulation::Simulation;
use starlings::vk::Device;
use std::sync::Arc;

/// Dispatches of `steer` in the next step.
fn dispatches(simulation: &mut Simulation) -> u32 {
    let journal = simulation.advance_noting().expect("the step runs");
    simulation.wait().expect("the device is alive");
    journal.passes().find(|pass| pass.name == "steer").expect("every step steers").dispatches
}

/// A flock of `settings` with the given state; `budget` replaces the usual one.
fn placed(device: &Arc<Device>, settings: &Settings, state: &BoidState, budget: Option<f64>) -> Simulation {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state(state).expect("the state goes up");
    budget.into_iter().for_each(|candidates| simulation.flock_mut().set_budget(candidates));
    simulation
}

/// Whether whole numbers agree up to single precision.
fn close(got: Crowding, want: Crowding) -> bool {
    got.fullest == want.fullest && (got.squares - want.squares).abs() <= 1e-6 * want.squares
}

#[test]
fn the_device_says_how_crowded_the_cells_are() {
    let Some(device) = common::device() else { return };
    for placement in [Placement::Uniform, Placement::OneCell, Placement::OnePerCell, Placement::Outside] {
        for boids in [1, 33, 1_025, 65_537] {
            let settings = placements::settings("reynolds", boids, placement);
            let state = placements::place(&settings, placement);
            let sorted = sort_on(&device, &settings, &state);
            let want = scan_reduce::block_crowding(&sorted.cell_counts);
            let same = sorted.block_crowding.iter().zip(&want).all(|(got, want)| close(*got, *want));
            assert!(same && sorted.block_crowding.len() == want.len(), "{placement:?} {boids}");
            let want = scan_reduce::crowding(&sorted.cell_counts);
            assert!(close(sorted.crowding, want), "{placement:?} {boids}: {:?}, should be {want:?}", sorted.crowding);
        }
    }
}

/// The host counts a flock that was placed, the device counts in each step; in the first both count the same flock.
#[test]
fn the_host_reads_what_the_device_says() {
    let Some(device) = common::validated_device() else { return };
    let settings = placements::settings("reynolds", 5_000, Placement::Uniform);
    let mut simulation = Simulation::new(&device, &settings).expect("a flock of valid settings fits");
    let by_host = simulation.flock().known_crowding().expect("it is counted");
    simulation.advance(1).expect("the step runs");
    let by_device = simulation.flock_mut().crowding().expect("the device is alive").expect("it is counted");
    assert!(by_host.fullest > 1 && close(by_device, by_host), "{by_device:?}, by the host {by_host:?}");
    // Through both frame slots and around the ring.
    for steps in [3, 16, 61] {
        simulation.advance(steps).expect("the steps run");
        let by_device = simulation.flock_mut().crowding().expect("the device is alive").expect("it is counted");
        let want = scan_reduce::crowding(&Sorted::download(simulation.flock()).cell_counts);
        assert!(close(by_device, want), "after {steps}: {by_device:?}, should be {want:?}");
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// All in one place with one velocity, so that no sum depends on the order of the sort: bit-identical in slices.
#[test]
fn a_collapsed_flock_steers_the_same_in_slices() {
    let Some(device) = common::validated_device() else { return };
    let settings = placements::settings("reynolds", 6_000, Placement::OneCell);
    let mut state = placements::place(&settings, Placement::OneCell);
    state.position.fill(settings.world.center + Vec3::splat(0.25));
    state.velocity.fill(Vec3::new(1.0, 0.5, -0.25));
    let mut whole = placed(&device, &settings, &state, None);
    assert_eq!(dispatches(&mut whole), 1, "6,000 boids are few even so");
    // Every boid visits all, so 2^21 candidates are 349 boids, hence one workgroup of 256; there are 24 workgroups.
    let mut sliced = placed(&device, &settings, &state, Some((1u64 << 21) as f64));
    assert_eq!(sliced.flock().steps_at_once(), 1);
    assert_eq!(dispatches(&mut sliced), 24);
    let (whole, sliced) = (whole.flock().state(), sliced.flock().state());
    assert_eq!(whole.expect("it comes back").by_id(), sliced.expect("it comes back").by_id());
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// The same with boids anywhere, without a sort that changes their order.
#[test]
fn all_pairs_are_the_same_in_slices() {
    let Some(device) = common::device() else { return };
    for search in [Search::AllPairs, Search::Tiles] {
        let settings = placements::settings("reynolds", 3_000, Placement::Uniform);
        let settings = Settings { search, ..settings };
        let state = placements::place(&settings, Placement::Uniform);
        let mut whole = placed(&device, &settings, &state, None);
        // 524,288 candidates each: 174 boids, hence one workgroup; there are 12.
        let mut sliced = placed(&device, &settings, &state, Some((1u64 << 19) as f64));
        assert_eq!((dispatches(&mut whole), dispatches(&mut sliced)), (1, 12), "{search}");
        assert_eq!(whole.flock().state().expect("it comes back"), sliced.flock().state().expect("it comes back"));
    }
}

#[test]
fn a_clumped_flock_steers_like_its_twin_in_slices() {
    let Some(device) = common::device() else { return };
    for search in SEARCHES.iter().filter(|info| info.grid != GridKind::None).map(|info| info.search) {
        let settings = placements::settings("reynolds", 1_025, Placement::OneCell);
        let settings = Settings { search, ..settings };
        let state = placements::place(&settings, Placement::OneCell);
        let mut simulation = placed(&device, &settings, &state, Some(1.0));
        // One workgroup each; a bitonic sort does not count, and takes 65,536 boids at once.
        let expected = if search.grid() == GridKind::BitonicSorted { 1 } else { 5 };
        assert_eq!(dispatches(&mut simulation), expected, "{search}");
        let after = simulation.flock().state().expect("the state comes back");
        let before = sorted_state(simulation.flock());
        let (velocity, position) = distances(&settings, &before, &after);
        assert!(velocity < TOLERANCE && position < 1e-6, "{search}: off by {velocity:e} and {position:e}");
    }
}

/// One dispatch while the flock is spread, many once it is placed in one cell, one again when it has left: by the
/// crowding that the device reports, not by the host's count.
#[test]
fn slices_come_and_go_with_the_crowd() {
    let Some(device) = common::device() else { return };
    let mut settings = placements::settings("reynolds", 2_000, Placement::Uniform);
    // Each flies straight to where it would have been spawned.
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (0.0, 0.0, 0.0);
    (rules.max_speed, settings.time_step) = (10.0, 0.05);
    let steps = 100;
    let spread = placements::place(&settings, Placement::Uniform);
    let budget = Some(2.5e6);
    let mut simulation = placed(&device, &settings, &spread, budget);
    assert_eq!(dispatches(&mut simulation), 1);
    let mut gathered = spread.clone();
    for (position, velocity) in gathered.position.iter_mut().zip(&mut gathered.velocity) {
        *velocity = (*position - settings.world.center) / (steps as f32 * settings.time_step);
        *position = settings.world.center;
    }
    let mut simulation = placed(&device, &settings, &gathered, budget);
    let first = dispatches(&mut simulation);
    let crowded = simulation.flock_mut().crowding().expect("the device is alive").expect("it is counted");
    let mut last = first;
    for _ in 1..steps {
        last = dispatches(&mut simulation);
    }
    let dispersed = simulation.flock_mut().crowding().expect("the device is alive").expect("it is counted");
    assert!(crowded.fullest == 2_000 && dispersed.fullest < 100, "{crowded:?} {dispersed:?}");
    assert!(first > 1 && last == 1, "{first} and {last} dispatches");
}
