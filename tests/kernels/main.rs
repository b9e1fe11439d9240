//! Kernels on a device against their CPU twins, at sizes around subgroups, workgroups and blocks.
//!
//! Cells, counts, starts, block sums and the sorted flock must be exact, bit for bit. Steering is compared with the
//! twin in double precision; `common::twin` has the tolerance.

mod addresses;
mod baking;
mod bitonic;
mod by_address;
#[path = "../common/mod.rs"]
mod common;
mod copy;
mod courses;
mod crowded;
mod hostile;
mod influences;
mod kinds;
mod manners;
mod many;
mod obstacles;
mod order;
mod perception;
mod sorting;
mod states;
mod steering;
mod ties;
mod torus;
mod values;

use common::twin::{TOLERANCE, distances};
use starlings::flock::buffers::{
    BLOCK_CROWDING, BLOCK_SUMS, CELL_COUNTS, CELL_MEMBERS, CELL_RANK, CELL_STARTS, CROWDING, SORTED_BOID_ID,
    SORTED_POSITION_VX, SORTED_QUANTIZED, SORTED_VELOCITY_YZ,
};
use starlings::flock::layout::Crowding;
use starlings::flock::search::{SEARCHES, SearchInfo};
use starlings::flock::{BoidState, Flock, PRESETS, Preset, Settings};
use starlings::limits::SCAN_BLOCK;
use starlings::vk::{Buffer, Device};
use std::sync::Arc;

/// Boids: around subgroups of 4 to 64, workgroups of 256, a 16-bit count, and a large prime-like number.
const SIZES: &[u32] = &[1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1023, 1025, 65_535, 65_537, 1_000_003];

/// Of these, one on each side of what a kernel treats in a way of its own.
const FEW_SIZES: &[u32] = &[1, 7, 9, 33, 256, 1_025, 65_537];

/// Each law by the search of its preset: what depends on the law alone.
fn laws() -> impl Iterator<Item = (&'static Preset, &'static SearchInfo)> {
    PRESETS.iter().map(|row| (row, row.settings().search.info()))
}

/// Each law by each search. A driver compiles a kernel for each, which takes long.
fn laws_by_searches() -> impl Iterator<Item = (&'static Preset, &'static SearchInfo)> {
    PRESETS.iter().flat_map(|row| SEARCHES.iter().map(move |info| (row, info)))
}

/// The device's buffers after the sort.
struct Sorted {
    cell_counts: Vec<u32>,
    cell_rank: Vec<[u32; 2]>,
    cell_members: Vec<u32>,
    cell_starts: Vec<u32>,
    block_sums: Vec<u32>,
    block_crowding: Vec<Crowding>,
    /// Of step 0.
    crowding: Crowding,
    quantized: Vec<u32>,
    state: BoidState,
}

impl Sorted {
    fn download(flock: &Flock) -> Sorted {
        let buffer = |row| flock.buffer(row).expect("a flock in cell order");
        let cells = flock.grid().cell_count as usize;
        let state = sorted_state(flock);
        Sorted {
            cell_counts: words(buffer(CELL_COUNTS), cells),
            cell_rank: all(buffer(CELL_RANK)),
            cell_members: words(buffer(CELL_MEMBERS), state.len()),
            cell_starts: words(buffer(CELL_STARTS), cells + 1),
            block_sums: words(buffer(BLOCK_SUMS), cells.div_ceil(SCAN_BLOCK as usize)),
            block_crowding: buffer(BLOCK_CROWDING)
                .download(0, cells.div_ceil(SCAN_BLOCK as usize))
                .expect("the buffer comes back"),
            crowding: buffer(CROWDING).read(0, 1)[0],
            quantized: words(buffer(SORTED_QUANTIZED), state.len()),
            state,
        }
    }
}

/// The flock before its last step, in the order of the sort.
fn sorted_state(flock: &Flock) -> BoidState {
    let buffer = |row| flock.buffer(row).expect("a flock that kernels step");
    let position_vx: Vec<[f32; 4]> = all(buffer(SORTED_POSITION_VX));
    let velocity_yz: Vec<[f32; 2]> = all(buffer(SORTED_VELOCITY_YZ));
    BoidState {
        position: position_vx.iter().map(|p| [p[0], p[1], p[2]].into()).collect(),
        velocity: position_vx.iter().zip(&velocity_yz).map(|(p, v)| [p[3], v[0], v[1]].into()).collect(),
        id: all(buffer(SORTED_BOID_ID)),
    }
}

/// The flock of `settings` after its first step, whose changes of velocity are those of the twin. Messages begin with
/// `of`.
fn steered(device: &Arc<Device>, settings: &Settings, of: &str) -> BoidState {
    let mut simulation = common::simulation(device, settings, None);
    simulation.advance(1).expect("the step runs");
    let after = simulation.flock().state().expect("the state comes back");
    let (velocity, _) = distances(settings, &sorted_state(simulation.flock()), &after);
    assert!(velocity < TOLERANCE, "{of}: velocity off by {velocity:e}");
    after
}

/// The first `count` words of a buffer, which may be padded to whole vectors.
fn words(buffer: &Buffer, count: usize) -> Vec<u32> {
    buffer.download(0, count).expect("the buffer comes back")
}

fn all<T: bytemuck::Pod>(buffer: &Buffer) -> Vec<T> {
    let count = buffer.size() as usize / size_of::<T>();
    buffer.download(0, count).expect("the buffer comes back")
}
