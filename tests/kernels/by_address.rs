//! Kernels that find the flock's arrays by address, for flocks beyond a descriptor's reach: forced for small flocks,
//! under validation; and with a flock that is too long for a software driver's descriptors.

use crate::common::placements::{self, Placement};
use crate::common::twin::{TOLERANCE, distances};
use crate::sorting::{check, sort_on};
use crate::{common, sorted_state};
use starlings::flock::search::SEARCHES;
use starlings::flock::{Flock, PRESETS, Search, Settings};
use starlings::simulation::Simulation;

/// Around a subgroup, a workgroup, a block of the scan and a 16-bit count.
const SIZES: &[u32] = &[1, 7, 33, 257, 1_025, 65_537];

#[test]
fn a_flock_is_sorted_exactly_by_address() {
    let Some(device) = common::by_address_device() else { return };
    for placement in [Placement::Uniform, Placement::OneCell, Placement::OnBorders, Placement::Outside] {
        for &boids in SIZES {
            let settings = placements::settings("reynolds", boids, placement);
            assert!(Flock::new(&device, &settings, 1).expect("a flock of valid settings fits").is_by_address());
            let state = placements::place(&settings, placement);
            let sorted = sort_on(&device, &settings, &state);
            check(&settings, &state, &sorted).unwrap_or_else(|fault| panic!("{placement:?} {boids}: {fault}"));
        }
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// Of every size by one law, or by `every` law.
fn steers_like_its_twin(every: bool) {
    let Some(device) = common::by_address_device() else { return };
    let searches: Vec<Search> = SEARCHES.iter().filter(|info| info.by_address).map(|info| info.search).collect();
    assert_eq!(searches, [Search::QuantizedGrid, Search::SortedGrid]);
    for (row, &search) in PRESETS.iter().flat_map(|row| searches.iter().map(move |search| (row, search))) {
        for &boids in if every || row.name == "reynolds" { SIZES } else { &[1_025] } {
            let settings = placements::settings(row.name, boids, Placement::OnBorders);
            let settings = Settings { search, ..settings };
            let mut simulation = common::simulation(&device, &settings, None);
            assert!(simulation.flock().is_by_address());
            let state = placements::place(&settings, Placement::OnBorders);
            simulation.flock_mut().set_state(&state).expect("the state goes up");
            simulation.advance(1).expect("the step runs");
            let after = simulation.flock().state().expect("the state comes back");
            let before = sorted_state(simulation.flock());
            assert_eq!(before.id, after.id, "steering keeps each boid in its place");
            let (velocity, position) = distances(&settings, &before, &after);
            let case = format!("{} by {search}, {boids}", row.name);
            assert!(velocity < TOLERANCE, "{case}: velocity off by {velocity:e}");
            assert!(position < 1e-6, "{case}: position off by {position:e}");
        }
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

#[test]
fn a_flock_steers_like_its_twin_by_address() {
    steers_like_its_twin(false);
}

#[test]
#[ignore = "long: every size by every law"]
fn flocks_of_every_size_steer_like_their_twins_by_address() {
    steers_like_its_twin(true);
}

#[test]
fn a_flock_is_influenced_by_address() {
    let Some(device) = common::by_address_device() else { return };
    for search in [Search::QuantizedGrid, Search::SortedGrid] {
        let settings = placements::settings("reynolds", 1_025, Placement::Uniform);
        let current = glam::Vec3::new(2.0, -1.0, 0.5);
        let settings = Settings { search, leader: Some(17), targets: 4, current, influenced: 0.5, ..settings };
        let mut simulation = common::simulation(&device, &settings, None);
        assert!(simulation.flock().is_by_address());
        simulation.advance(2).and_then(|()| simulation.wait()).expect("the steps run");
        let got = simulation.flock().state().expect("the state comes back").by_id();
        let mut want = starlings::flock::spawn(&settings);
        (0..2).for_each(|step| starlings::reference::step(&settings, &mut want, step));
        for (i, want) in want.by_id().velocity.into_iter().enumerate() {
            let off = got.velocity[i].distance(want);
            assert!(off < 1e-4, "by {search}: boid {i} is {off} off");
        }
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// Other searches have no such build, and use descriptors while these reach.
#[test]
fn other_searches_stay_with_descriptors() {
    let Some(device) = common::by_address_device() else { return };
    for info in SEARCHES.iter().filter(|info| !info.by_address) {
        let settings = placements::settings("reynolds", 257, Placement::Uniform);
        let flock = Flock::new(&device, &Settings { search: info.search, ..settings }, 1).expect("a small flock fits");
        assert!(!flock.is_by_address(), "{}", info.name);
    }
}

/// Not forced here: `position_vx` is longer than lavapipe's descriptors reach.
#[test]
fn a_flock_beyond_the_reach_of_descriptors_is_stepped() {
    let Some(device) = common::device() else { return };
    let reach = device.info().max_storage_range;
    let boids = reach / 16 + 1;
    if boids > 1 << 24 {
        return println!("a flock that long takes too long to check: {boids} boids");
    }
    // No boid has a neighbor, so that the step is short.
    let settings = placements::settings("reynolds", boids as u32, Placement::Uniform).with_radius(1e-3);
    let mut simulation = Simulation::new(&device, &settings).expect("there is memory for it");
    assert!(simulation.flock().is_by_address());
    simulation.advance(1).expect("the step runs");
    simulation.wait().expect("the device is alive");
    let mut seen = vec![false; boids as usize];
    let after = simulation.flock().state().expect("the state comes back");
    for (k, &id) in after.id.iter().enumerate() {
        assert!(!std::mem::replace(&mut seen[id as usize], true), "boid {id} is there twice");
        let start = starlings::flock::spawn::position_at_start(&settings, id);
        let moved = after.position[k] - start - after.velocity[k] * settings.time_step;
        assert!(moved.length() < 1e-2, "boid {id} is {moved} off");
    }
    assert!(seen.into_iter().all(|seen| seen), "nobody is lost");
}
