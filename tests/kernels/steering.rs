//! Steering against the twin in double precision, with all pairs as the search.
//!
//! `common::twin` has the tolerances and the treatment of borderline neighbors.

use crate::common::placements::{self, Placement};
use crate::common::twin::{TOLERANCE, distances, outcomes};
use crate::{FEW_SIZES, SIZES, common, laws_by_searches, sorted_state};
use starlings::flock::search::SearchInfo;
use starlings::flock::{Law, PRESETS, Preset, Search, Settings};
use starlings::limits::SCAN_BLOCK;
use starlings::reference::{self, Ordered};

/// The largest flock that SwiftShader steers, because a million take it some 20 s per test. Lavapipe steers a million,
/// with three subgroup sizes, and SwiftShader counts, scans and sorts a million too. This is the size before the
/// million, and its grid has several blocks of the scan.
const LARGEST_FOR_SWIFTSHADER: u32 = 65_537;

fn steers_like_its_twin(placement: Placement, sizes: &[u32], largest: u32) {
    each_steers_like_its_twin(laws_by_searches(), placement, sizes, largest);
}

fn each_steers_like_its_twin(
    pairs: impl Iterator<Item = (&'static Preset, &'static SearchInfo)>,
    placement: Placement,
    sizes: &[u32],
    largest: u32,
) {
    let Some(device) = common::device() else { return };
    let slow = device.info().name.starts_with("SwiftShader");
    let largest = if slow { largest.min(LARGEST_FOR_SWIFTSHADER) } else { largest };
    for (row, info) in pairs {
        let mut worst: (f64, f64) = (0.0, 0.0);
        // For searches other than the default a few sizes are enough: a subgroup and one more, several workgroups and
        // one more.
        let all = matches!(info.search, Search::QuantizedGrid | Search::SortedGrid);
        let sizes = if all { sizes } else { &[33, 1_025] };
        // Larger flocks only with two laws: the others take long, with many neighbors or with a search of all boids.
        let many = matches!(row.settings().law, Law::Heading | Law::Reynolds);
        let largest = if many { largest } else { largest.min(1_025) };
        for &boids in sizes.iter().filter(|&&boids| boids <= largest) {
            let settings = placements::settings(row.name, boids, placement);
            let settings = Settings { search: info.search, ..settings };
            assert!(boids < LARGEST_FOR_SWIFTSHADER || settings.grid().cell_count > 2 * SCAN_BLOCK);
            let mut simulation = common::simulation(&device, &settings, None);
            simulation.flock_mut().set_state(&placements::place(&settings, placement)).expect("the state goes up");
            simulation.advance(1).expect("the step runs");
            let after = simulation.flock().state().expect("the state comes back");
            let before = sorted_state(simulation.flock());
            assert_eq!(before.id, after.id, "steering keeps each boid in its place");
            let (velocity, position) = distances(&settings, &before, &after);
            let case = format!("{} by {} {placement:?} {boids}", row.name, info.name);
            assert!(velocity < TOLERANCE, "{case}: velocity off by {velocity:e}");
            assert!(position < 1e-6, "{case}: position off by {position:e}");
            worst = (worst.0.max(velocity), worst.1.max(position));
        }
        let (velocity, position) = worst;
        println!("{} by {} {placement:?}: velocity {velocity:.1e}, position {position:.1e}", row.name, info.name);
    }
}

#[test]
fn a_uniform_flock_steers_like_its_twin() {
    steers_like_its_twin(Placement::Uniform, FEW_SIZES, 65_537);
}

/// Each law by one search, and each search for one law: what a driver may do otherwise is in one of these kernels.
#[test]
fn each_law_and_each_search_steers_like_its_twin() {
    let once = |(row, info): &(&Preset, &SearchInfo)| row.name == "reynolds" || info.search == Search::QuantizedGrid;
    each_steers_like_its_twin(laws_by_searches().filter(once), Placement::Uniform, FEW_SIZES, 1_025);
}

#[test]
fn a_flock_on_cell_borders_steers_like_its_twin() {
    steers_like_its_twin(Placement::OnBorders, &[33, 1_025], 1_025);
}

/// Each boid is a candidate of all others, so the work is quadratic.
#[test]
fn a_flock_in_one_cell_steers_like_its_twin() {
    steers_like_its_twin(Placement::OneCell, &[1_025], 1_025);
}

#[test]
#[ignore = "long: every size"]
fn flocks_of_every_size_steer_like_their_twins() {
    steers_like_its_twin(Placement::Uniform, SIZES, 1_000_003);
    steers_like_its_twin(Placement::OneCell, SIZES, 1_025);
    steers_like_its_twin(Placement::OnePerCell, SIZES, 65_537);
    steers_like_its_twin(Placement::OnBorders, SIZES, 1_000_003);
    // The border cells hold all boids beyond them, so the work grows faster than the flock.
    steers_like_its_twin(Placement::Outside, SIZES, 1_025);
}

/// Those that the tests above leave to the long one, once.
#[test]
fn flocks_of_any_placement_steer_like_their_twins() {
    steers_like_its_twin(Placement::OnePerCell, &[1_025], 1_025);
    steers_like_its_twin(Placement::Outside, &[1_025], 1_025);
}

/// Identities are kept by repeated sorts, and device and twin agree while rounding errors are small.
#[test]
fn ten_steps_are_ten_steps_of_the_twin() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = placements::settings(row.name, 2_000, Placement::Uniform);
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.advance(10).expect("the steps run");
        simulation.wait().expect("the device is alive");
        let got = simulation.flock().state().expect("the state comes back").by_id();
        let mut want = starlings::flock::spawn(&settings);
        for step in 0..10 {
            reference::step(&settings, &mut want, step);
        }
        let want = want.by_id();
        assert_eq!(got.id, want.id);
        for i in 0..got.len() {
            let apart = got.position[i].distance(want.position[i]);
            assert!(apart < 1e-3, "{} boid {i} is {apart} away from its twin", row.name);
        }
    }
}

/// Positions may be arbitrarily far away. `hostile.rs` has those that are not finite.
#[test]
fn boids_far_away_harm_nobody() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = placements::settings(row.name, 500, Placement::Uniform);
        let mut state = starlings::flock::spawn(&settings);
        for (i, far) in [1e15, -1e15, 1e25, -1e25].into_iter().enumerate() {
            state.position[i] = glam::Vec3::splat(far);
            state.position[4 + i][i % 3] = far;
        }
        let mut simulation = common::simulation(&device, &settings, None);
        simulation.flock_mut().set_state(&state).expect("the state goes up");
        simulation.advance(5).expect("the steps run");
        let far = simulation.flock().state().expect("the state comes back").by_id();
        assert_eq!(far.id, state.id);
        assert!(far.position.iter().chain(&far.velocity).all(|v| v.is_finite()), "{}", row.name);
    }
}

/// A check of the reference: without borderline neighbors it is the twin itself.
#[test]
fn the_only_outcome_is_the_twins() {
    for row in PRESETS {
        let settings = placements::settings(row.name, 300, Placement::Uniform);
        let state = starlings::flock::spawn(&settings);
        let params = settings.step_params(0);
        let all_pairs = Settings { search: Search::AllPairs, ..settings.clone() };
        let twin = reference::steer::steer(&settings, &params, &Ordered::of(&all_pairs, &state));
        for (i, want) in twin.iter().enumerate() {
            assert_eq!(outcomes(&settings, &params, &state, i), [*want]);
        }
    }
}
