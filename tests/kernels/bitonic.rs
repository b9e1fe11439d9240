//! The bitonic-sorted grid: exact at several sizes and placements. Its order is unique, so it does not depend on the
//! device.

use crate::common::placements::{self, Placement};
use crate::{all, common};
use starlings::flock::buffers::{CELL_PAIRS, CELL_RANGES};
use starlings::flock::steppers::EMPTY_CELL;
use starlings::flock::{BoidState, Flock, Search, Settings};
use starlings::reference;
use starlings::simulation::Simulation;

/// Around a subgroup, a workgroup and a block, and with one, two, three and six merges.
const SIZES: &[u32] = &[1, 2, 33, 257, 2_047, 2_048, 2_049, 4_097, 10_000, 65_537];

/// Checks the device's buffers after a step whose flock was `state` before.
fn check(flock: &Flock, settings: &Settings, state: &BoidState) -> Result<(), String> {
    let grid = settings.grid();
    let mut pairs = reference::pair_cells::pair_cells(&grid, &state.position);
    pairs.sort_unstable();
    let got: Vec<[u32; 2]> = all(flock.buffer(CELL_PAIRS).expect("a bitonic sort"));
    if let Some(place) = (0..pairs.len()).find(|&place| got[place] != pairs[place]) {
        return Err(format!("pair {place} is {:?} instead of {:?}", got[place], pairs[place]));
    }
    let ranges = reference::pair_ranges::pair_ranges(&pairs, grid.cell_count);
    let got: Vec<[u32; 2]> = all(flock.buffer(CELL_RANGES).expect("a bitonic sort"));
    if let Some(cell) = (0..ranges.len()).find(|&cell| got[cell] != ranges[cell]) {
        return Err(format!("cell {cell} has {:?} instead of {:?}", got[cell], ranges[cell]));
    }
    let boids: u32 = ranges.iter().filter(|range| range[0] != EMPTY_CELL).map(|range| range[1] - range[0]).sum();
    if boids != settings.boids {
        return Err(format!("the cells hold {boids} boids"));
    }
    let sorted = crate::sorted_state(flock);
    let want = reference::pair_gather::pair_gather(&pairs, state);
    let bits = |v: glam::Vec3| v.to_array().map(f32::to_bits);
    for place in 0..want.len() {
        let same = want.id[place] == sorted.id[place]
            && bits(want.position[place]) == bits(sorted.position[place])
            && bits(want.velocity[place]) == bits(sorted.velocity[place]);
        if !same {
            return Err(format!("place {place} holds boid {}, {} belongs there", sorted.id[place], want.id[place]));
        }
    }
    Ok(())
}

#[test]
fn pairs_ranges_and_the_gathered_flock_are_exact() {
    let Some(device) = common::device() else { return };
    // Steering is quadratic if all boids are in one cell.
    for (placement, most) in [(Placement::Uniform, 65_537), (Placement::OneCell, 2_049)] {
        for &boids in SIZES.iter().filter(|&&boids| boids <= most) {
            let settings = placements::settings("reynolds", boids, placement);
            let settings = Settings { search: Search::BitonicGrid, ..settings };
            let state = placements::place(&settings, placement);
            let mut simulation = Simulation::new(&device, &settings).expect("a flock of valid settings fits");
            simulation.flock_mut().set_state(&state).expect("the state goes up");
            simulation.advance(1).and_then(|()| simulation.wait()).expect("a step");
            check(simulation.flock(), &settings, &state)
                .unwrap_or_else(|fault| panic!("{boids} boids, {placement:?}: {fault}"));
        }
    }
}
