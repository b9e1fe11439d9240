//! Binning, scanning and sorting: exact at several sizes and placements.

use crate::common::placements::{self, Placement};
use crate::{FEW_SIZES, SIZES, Sorted, common};
use glam::{UVec3, Vec3};
use starlings::flock::steppers::CountingSorted;
use starlings::flock::{BoidState, Flock, Settings, Stepper};
use starlings::limits::{MAX_GROUPS_PER_DIMENSION, WORKGROUP_SIZE};
use starlings::reference::{grid_count, scan_downsweep, scan_reduce, scan_spine, sort_list, sort_scatter};
use starlings::vk::{Access, Dependency, Device, FrameSlots, Hazard, RecordOptions, Recorder, Stage, Uses};
use std::sync::Arc;

/// Orders a pass after all earlier ones. Other tests cover the frame's dependencies.
fn barrier(rec: &mut Recorder<'_>) {
    rec.barrier(Dependency {
        name: "test",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::Waw],
        guards: &[],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER | Stage::CLEAR,
        src_access: Access::SHADER_STORAGE_WRITE | Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "Each pass on its own, whatever it touches.",
    });
}

/// Runs all passes of a step except steering, which takes too long if many boids are in one cell.
pub fn sort_on(device: &Arc<Device>, settings: &Settings, state: &BoidState) -> Sorted {
    let mut flock = Flock::new(device, settings, 1).expect("a flock of valid settings fits");
    flock.set_state(state).expect("the state goes up");
    let mut slots = FrameSlots::new(device, "test", 1, false).expect("a frame slot");
    let slot = slots.next().expect("the device is alive");
    let step = flock.prepare_steps(0, 1)[0];
    let mut rec = slot.begin(RecordOptions::default()).expect("recording");
    let Stepper::CountingSorted(sorted) = flock.stepper() else { panic!("a flock in cell order") };
    sorted.grid_clear(&mut rec, Uses::default());
    let CountingSorted { grid_count, scan, sort_list, .. } = sorted;
    for pass in [grid_count, &scan.reduce, &scan.spine, &scan.downsweep, sort_list] {
        barrier(&mut rec);
        pass.record(&mut rec, step, Uses::default());
    }
    barrier(&mut rec);
    sorted.sort_scatter(&mut rec, step, Uses::default());
    rec.finish().expect("recording");
    slot.submit(None).expect("submission");
    slots.wait_all().expect("the device is alive");
    Sorted::download(&flock)
}

/// Compares every buffer that the sort writes with the twins.
pub fn check(settings: &Settings, state: &BoidState, sorted: &Sorted) -> Result<(), String> {
    let grid = settings.grid();
    grid_count::check(&grid, &state.position, &sorted.cell_counts, &sorted.cell_rank)?;
    let mut block_sums = scan_reduce::scan_reduce(&sorted.cell_counts);
    scan_spine::scan_spine(&mut block_sums);
    exact("block_sums", &sorted.block_sums, &block_sums)?;
    let starts = scan_downsweep::scan_downsweep(&sorted.cell_counts, &block_sums, settings.boids);
    exact("cell_starts", &sorted.cell_starts, &starts)?;
    let members = sort_list::sort_list(&state.id, &sorted.cell_rank, &starts);
    exact("cell_members", &sorted.cell_members, &members)?;
    sort_scatter::check(&grid, state, &members, &starts, &sorted.state)?;
    let quantized = sort_scatter::quantized(&grid, &settings.step_params(0).quanta, &sorted.state.position);
    // The quantized word of a NaN position may be anything.
    let numbers = |words: &[u32]| -> Vec<u32> {
        words.iter().zip(&sorted.state.position).filter(|(_, p)| p.is_finite()).map(|(&word, _)| word).collect()
    };
    exact("sorted_quantized", &numbers(&sorted.quantized), &numbers(&quantized))
}

fn exact(name: &str, got: &[u32], want: &[u32]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{name} has {} entries instead of {}", got.len(), want.len()));
    }
    match got.iter().zip(want).position(|(got, want)| got != want) {
        Some(i) => Err(format!("{name}[{i}] is {}, should be {}", got[i], want[i])),
        None => Ok(()),
    }
}

const PLACEMENTS: [Placement; 5] =
    [Placement::Uniform, Placement::OneCell, Placement::OnePerCell, Placement::OnBorders, Placement::Outside];

fn sorts_exactly(placement: Placement, sizes: &[u32]) {
    let Some(device) = common::device() else { return };
    // The boids of a cell are compared with each other, which is quadratic if most share a few: of the large flocks one
    // is enough.
    let few_cells = matches!(placement, Placement::OneCell | Placement::Outside);
    for &boids in sizes.iter().filter(|&&boids| !few_cells || boids < 2_000 || boids == 65_537) {
        let settings = placements::settings("reynolds", boids, placement);
        let state = placements::place(&settings, placement);
        let sorted = sort_on(&device, &settings, &state);
        check(&settings, &state, &sorted).unwrap_or_else(|fault| panic!("{boids} boids, {placement:?}: {fault}"));
        let most = sorted.cell_counts.iter().max().expect("a grid has cells");
        match placement {
            Placement::OneCell => assert_eq!(*most, boids, "the test places all in one cell"),
            Placement::OnePerCell => assert_eq!(*most, 1, "the test places one in a cell"),
            _ => {}
        }
    }
}

#[test]
fn flocks_are_sorted_exactly() {
    PLACEMENTS.into_iter().for_each(|placement| sorts_exactly(placement, FEW_SIZES));
}

#[test]
#[ignore = "long: every size"]
fn flocks_of_every_size_are_sorted_exactly() {
    PLACEMENTS.into_iter().for_each(|placement| sorts_exactly(placement, SIZES));
}

/// About one block of the scan, then 4,300 blocks: the spine takes 4,096 at a time, so its carry must reach a second
/// iteration. Grids of three iterations do not fit into the buffers of a software driver.
#[test]
fn grids_of_every_size_are_scanned_exactly() {
    let Some(device) = common::device() else { return };
    for (boids, dims) in [
        (1_000, UVec3::new(1, 1, 1)),
        (1_000, UVec3::new(4_095, 1, 1)),
        (1_000, UVec3::new(4_096, 1, 1)),
        (1_000, UVec3::new(4_097, 1, 1)),
        (1_000, UVec3::new(4_098, 1, 1)),
        (20_000, UVec3::new(4_099, 3, 5)),
        (4_403_200, UVec3::new(4_300, 64, 64)),
    ] {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids).with_radius(1.0);
        // In a world so small that its cells need not grow.
        settings.world.half_size = Vec3::splat(0.5);
        let cell_size = settings.grid().cell_size;
        settings.world.half_size = (dims.as_vec3() - 0.5) * cell_size * 0.5;
        assert_eq!(settings.grid().dims, dims);
        let state = placements::place(&settings, Placement::Uniform);
        let sorted = sort_on(&device, &settings, &state);
        check(&settings, &state, &sorted).unwrap_or_else(|fault| panic!("{boids} boids, {dims} cells: {fault}"));
    }
}

/// The first count whose dispatches have more than 65,535 workgroups and are folded into two dimensions.
#[test]
#[ignore = "long: takes 2 GB and half a minute on a software driver"]
fn folded_dispatches_are_sorted_exactly() {
    let Some(device) = common::device() else { return };
    let boids = MAX_GROUPS_PER_DIMENSION * WORKGROUP_SIZE + 1;
    let settings = placements::settings("reynolds", boids, Placement::Uniform);
    let state = placements::place(&settings, Placement::Uniform);
    let sorted = sort_on(&device, &settings, &state);
    check(&settings, &state, &sorted).unwrap_or_else(|fault| panic!("{boids} boids: {fault}"));
}

/// Positions that are far away or not finite go to some cell of the grid; each boid is in it once.
#[test]
fn positions_beyond_all_bounds_are_sorted_like_others() {
    let Some(device) = common::device() else { return };
    let settings = placements::settings("reynolds", 1_025, Placement::Uniform);
    let mut state = placements::place(&settings, Placement::Uniform);
    for (i, bad) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e38].into_iter().enumerate() {
        state.position[10 * i] = Vec3::splat(bad);
        state.position[10 * i + 300].y = bad;
    }
    for i in 0..state.len() {
        (state.position[i], state.velocity[i]) = state.contained(i);
    }
    let sorted = sort_on(&device, &settings, &state);
    check(&settings, &state, &sorted).unwrap_or_else(|fault| panic!("{fault}"));
}
