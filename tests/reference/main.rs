//! The CPU twins, the reference of the GPU tests, against properties and cases calculated by hand.

#[path = "../common/cases.rs"]
mod cases;
mod kinds_by_hand;
mod laws_by_hand;
mod manners_by_hand;
#[path = "../common/meshes.rs"]
mod meshes;
mod more_laws_by_hand;
mod motion_by_hand;
mod obstacles;
mod search_properties;
#[path = "../common/slopes.rs"]
mod slopes;
mod zones_by_hand;

use proptest::prelude::*;
use starlings::flock::grid::{cell_id, cell_of};
use starlings::flock::{BoidState, PRESETS, Search, Setting, Settings, spawn};
use starlings::limits::SCAN_BLOCK;
use starlings::reference::{
    self, Ordered, bitonic, grid_count, scan_downsweep, scan_reduce, scan_spine, sort_list, sort_scatter, step_with,
};

proptest! {
    /// The defect of the author's program for `counting-sort`: its scan skips element 0 and works for only one grid
    /// size.
    #[test]
    fn three_scan_passes_are_an_exclusive_sum(counts in scan_input()) {
        let mut sums = scan_reduce::scan_reduce(&counts);
        prop_assert_eq!(sums.len(), counts.len().div_ceil(SCAN_BLOCK as usize));
        scan_spine::scan_spine(&mut sums);
        let boids = counts.iter().sum();
        let starts = scan_downsweep::scan_downsweep(&counts, &sums, boids);
        prop_assert_eq!(starts[0], 0);
        prop_assert_eq!(starts[counts.len()], boids);
        for (cell, count) in counts.iter().enumerate() {
            prop_assert_eq!(starts[cell + 1] - starts[cell], *count);
        }
    }

    #[test]
    fn sorting_is_a_permutation_into_cell_order(boids in 1u32..3000, seed: u64) {
        let settings = Settings { seed, ..preset("reynolds", boids) };
        let state = spawn(&settings);
        let grid = settings.grid();
        let (sorted, starts) = reference::sort(&grid, &state);
        prop_assert_eq!(sorted.by_id(), state);
        for cell in 0..grid.cell_count as usize {
            for place in starts[cell]..starts[cell + 1] {
                let position = sorted.position[place as usize];
                prop_assert_eq!(cell_id(&grid, cell_of(&grid, position)) as usize, cell);
            }
        }
    }
}

proptest! {
    /// Any count, not only powers of two; few cells, so that the order often depends on places.
    #[test]
    fn the_bitonic_network_sorts_any_count(cells in proptest::collection::vec(0u32..50, 1..9_000)) {
        let mut pairs: Vec<[u32; 2]> = cells.into_iter().zip(0..).map(|(cell, place)| [cell, place]).collect();
        let mut sorted = pairs.clone();
        sorted.sort_unstable();
        bitonic::bitonic_sort(&mut pairs);
        prop_assert_eq!(pairs, sorted);
    }
}

/// Counts around the ends of the scan's blocks.
fn scan_input() -> impl Strategy<Value = Vec<u32>> {
    let block = SCAN_BLOCK as usize;
    prop_oneof![
        proptest::collection::vec(0u32..1000, 1..50),
        proptest::collection::vec(0u32..3, block - 1..block + 2),
        proptest::collection::vec(0u32..1000, 2 * block..4 * block),
    ]
}

fn preset(name: &str, boids: u32) -> Settings {
    Settings::preset(name).expect("a known preset").with_boids(boids)
}

#[test]
fn the_check_of_counts_and_ranks_finds_each_kind_of_fault() {
    let settings = preset("reynolds", 500);
    let (grid, position) = (settings.grid(), spawn(&settings).position);
    let good = grid_count::grid_count(&grid, &position);
    let check =
        |counted: &grid_count::Counted| grid_count::check(&grid, &position, &counted.cell_counts, &counted.cell_rank);
    check(&good).expect("the twin's own result");

    let crowded = good.cell_rank.iter().position(|&[_, rank]| rank == 1).expect("a cell with two boids");
    let mut twice = good.clone();
    twice.cell_rank[crowded][1] = 0;
    assert!(check(&twice).expect_err("two boids of rank 0").contains("both have rank 0"));
    let mut beyond = good.clone();
    beyond.cell_rank[crowded][1] = 499;
    assert!(check(&beyond).expect_err("a rank beyond the count").contains("has rank 499"));
    let mut elsewhere = good.clone();
    elsewhere.cell_rank[crowded][0] ^= 1;
    assert!(check(&elsewhere).expect_err("another cell").contains("but lies in cell"));
    let mut lost = good.clone();
    let occupied = lost.cell_counts.iter().position(|&count| count > 0).expect("a cell with a boid");
    lost.cell_counts[occupied] -= 1;
    assert!(check(&lost).expect_err("a boid lost").contains("boids lie in that cell"));
    let mut shorter = good;
    shorter.cell_rank.pop();
    assert!(check(&shorter).expect_err("a rank missing").contains("wrong length"));
}

#[test]
fn the_check_of_the_sort_finds_each_kind_of_fault() {
    let settings = preset("reynolds", 500);
    let (grid, state) = (settings.grid(), spawn(&settings));
    let counted = grid_count::grid_count(&grid, &state.position);
    let (good, starts) = reference::sort(&grid, &state);
    let members = sort_list::sort_list(&state.id, &counted.cell_rank, &starts);
    let check = |sorted: &BoidState| sort_scatter::check(&grid, &state, &members, &starts, sorted);
    check(&good).expect("the twin's own result");

    let mut swapped = good.clone();
    swapped.id.swap(3, 4);
    assert!(check(&swapped).expect_err("two ids swapped").contains("place 3 holds boid"));
    let mut moved = good.clone();
    moved.position[7].y = f32::from_bits(moved.position[7].y.to_bits() + 1);
    assert!(check(&moved).expect_err("a position one bit off").contains("place 7 with another position"));
    let mut turned = good;
    turned.velocity[7] *= -1.0;
    assert!(check(&turned).expect_err("a velocity turned").contains("place 7 with another position or velocity"));
}

/// No boid may read what another has already written, so the order of the boids does not matter.
#[test]
fn the_order_of_the_boids_does_not_matter() {
    for row in PRESETS {
        let settings = preset(row.name, 400);
        let mut forward = spawn(&settings);
        let mut backward = forward.clone();
        backward.position.reverse();
        backward.velocity.reverse();
        backward.id.reverse();
        step_with(&settings, &mut forward, 0, Search::AllPairs);
        step_with(&settings, &mut backward, 0, Search::AllPairs);
        let backward = backward.by_id();
        for i in 0..forward.len() {
            assert!(forward.position[i].distance(backward.position[i]) < 1e-6, "{} boid {i}", row.name);
            assert!(forward.velocity[i].distance(backward.velocity[i]) < 1e-6, "{} boid {i}", row.name);
        }
    }
}

/// Ten simulated seconds of each preset: no boid leaves, no flock collapses, and the boids align.
#[test]
#[ignore = "long: flights of hundreds of steps"]
fn presets_are_stable_and_flock() {
    for row in PRESETS {
        let settings = preset(row.name, row.settings().boids.min(1500));
        let mut state = spawn(&settings);
        let before = local_order(&settings, &state);
        for step in 0..600 {
            reference::step(&settings, &mut state, step);
        }
        // Only targets hold the boids of `counting-sort`, so they leave the box and come back; nothing holds a school.
        let far = if row.name == "couzin" { f32::INFINITY } else { 6.0 * settings.world.half_size.x };
        for (position, velocity) in state.position.iter().zip(&state.velocity) {
            assert!(position.is_finite() && velocity.is_finite(), "{}", row.name);
            assert!(position.abs().max_element() < far, "{}: a boid is at {position}", row.name);
        }
        let after = local_order(&settings, &state);
        let neighbors = mean_neighbors(&settings, &state);
        println!("{}: order {before:.2} to {after:.2}, {neighbors:.0} neighbors", row.name);
        let aligns = row.settings().law.reads(Setting::AlignmentWeight);
        assert!(after > before + 0.3 || !aligns, "{}: neighbors fly no more alike, {before} to {after}", row.name);
        assert!((5.0..150.0).contains(&neighbors), "{}: {neighbors} neighbors", row.name);
    }
}

/// Mean of the dot product of a boid's direction with its neighbors': 0 in a random flock, 1 if all fly the same way.
fn local_order(settings: &Settings, state: &BoidState) -> f64 {
    let params = settings.step_params(0);
    let all = Ordered::of(&Settings { search: Search::AllPairs, ..settings.clone() }, state);
    let (mut sum, mut pairs) = (0.0, 0u32);
    for i in 0..state.len() {
        reference::steer::neighbors(&params, &all, i, |j, _, _| {
            sum += f64::from(state.velocity[i].normalize().dot(state.velocity[j].normalize()));
            pairs += 1;
        });
    }
    sum / f64::from(pairs)
}

fn mean_neighbors(settings: &Settings, state: &BoidState) -> f64 {
    let params = settings.step_params(0);
    let all = Ordered::of(&Settings { search: Search::AllPairs, ..settings.clone() }, state);
    let mut pairs = 0u32;
    for i in 0..state.len() {
        reference::steer::neighbors(&params, &all, i, |_, _, _| pairs += 1);
    }
    f64::from(pairs) / state.len() as f64
}
