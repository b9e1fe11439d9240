//! Steps of a flock in cell order by a bitonic sort.

use super::optional::record_leader;
use crate::flock::steppers::{BitonicSorted, exchanged_strides, merged_blocks};
use crate::flock::{Flock, StepSlot};
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records a step whose search needs the flock in cell order, by a bitonic sort: pair, sort, mark, gather, steer.
pub(super) fn record_bitonic_sorted_step(
    rec: &mut Recorder<'_>,
    flock: &Flock,
    sorted: &BitonicSorted,
    step: StepSlot,
) {
    rec.barrier(Dependency {
        name: "steer-to-pairs",
        hazards: &[Hazard::Raw, Hazard::PreviousFrame],
        guards: &["position_vx"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The previous step moved the boids.",
    });
    sorted.pair_cells.record(rec, step);

    rec.barrier(Dependency {
        name: "pairs-to-local",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["cell_pairs"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The pairs are sorted in place.",
    });
    sorted.bitonic_local.record(rec, step);

    for block in merged_blocks(flock.settings().boids) {
        for stride in exchanged_strides(block) {
            rec.barrier(Dependency {
                name: "sorted-to-exchange",
                hazards: &[Hazard::Raw, Hazard::Waw],
                guards: &["cell_pairs"],
                relies_on: &[],
                src_stage: Stage::COMPUTE_SHADER,
                src_access: Access::SHADER_STORAGE_WRITE,
                dst_stage: Stage::COMPUTE_SHADER,
                dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
                reason: "Each stage of the sort compares, in place, pairs that other workgroups have just written.",
            });
            sorted.bitonic_exchange(rec, step, block, stride);
        }
        rec.barrier(Dependency {
            name: "exchange-to-merge",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &["cell_pairs"],
            relies_on: &[],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
            reason: "From here on, a workgroup's pairs stay within its block, so the other stages of the merge share a dispatch.",
        });
        sorted.bitonic_merge.record(rec, step);
    }

    rec.barrier(Dependency {
        name: "steer-to-ranges",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["cell_ranges"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The previous step's steer reads the cells that are marked as empty here.",
    });
    sorted.ranges_clear(rec);

    rec.barrier(Dependency {
        name: "clear-to-ranges",
        hazards: &[Hazard::Waw],
        guards: &["cell_ranges"],
        relies_on: &[],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_WRITE,
        reason: "Cells in use overwrite the mark.",
    });
    rec.barrier(Dependency {
        name: "sort-to-gather",
        hazards: &[Hazard::Raw],
        guards: &["cell_pairs"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "pair_ranges and pair_gather read the sorted pairs.",
    });
    sorted.pair_ranges.record(rec, step);
    // Independent of pair_ranges: both only read the pairs.
    sorted.pair_gather.record(rec, step);

    rec.barrier(Dependency {
        name: "gather-to-steer",
        hazards: &[Hazard::Raw, Hazard::War],
        guards: &[
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "cell_ranges",
            "position_vx",
            "velocity_yz",
            "boid_id",
        ],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "steer reads neighbors from the sorted copy, cell by cell, and overwrites the state that the gather reads.",
    });
    let steering = &sorted.steering;
    record_leader(rec, steering, step);
    if let Some(observer) = flock.observer_in(step) {
        observer.observe(rec, step, steering.groups_at_once());
    }
    steering.steer(rec, step);
}
