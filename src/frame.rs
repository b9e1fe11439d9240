//! The frame, from top to bottom.
//!
//! [`record_step`] and [`record_frame`] are straight lines: every pass, and between the passes every
//! dependency with the hazard it resolves. Nothing here is inferred. The comments read *hazard: producer →
//! consumer*; a write-after-read hazard needs execution order only, so both its accesses are `NONE`.
//!
//! All work goes to one queue. There, the first scope of a barrier holds every command earlier in submission
//! order, those of earlier submissions too: this is how the first barriers of a step order it after the
//! frame before, with no semaphore and no wait on the host.

use crate::flock::{Flock, StepSlot};
use crate::vk::{Access, Dependency, Recorder, Stage};

/// Records one simulation step: bin, scan, sort, steer.
pub fn record_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    // WAR: scan_downsweep of the step before → grid_clear. It has read the counts that are wiped now.
    rec.barrier(Dependency {
        name: "downsweep-to-clear",
        guards: &["cell_counts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
    });
    flock.grid_clear(rec);

    // RAW and WAW: grid_clear → grid_count. The atomics read the zeros and write over them.
    rec.barrier(Dependency {
        name: "clear-to-count",
        guards: &["cell_counts"],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
    });
    // RAW: steer of the step before → grid_count. The boids have moved.
    rec.barrier(Dependency {
        name: "steer-to-count",
        guards: &["position_vx", "velocity_yz", "boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.grid_count(rec, step);

    // RAW: grid_count → scan_reduce. The scan reads the counts that the atomics wrote.
    rec.barrier(Dependency {
        name: "count-to-reduce",
        guards: &["cell_counts", "cell_rank"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.scan_reduce(rec, step);

    // RAW and WAW: scan_reduce → scan_spine. The spine scans the block sums in place.
    rec.barrier(Dependency {
        name: "reduce-to-spine",
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
    });
    flock.scan_spine(rec, step);

    // RAW: scan_spine → scan_downsweep. Each block goes on from the sum of the blocks before it.
    rec.barrier(Dependency {
        name: "spine-to-downsweep",
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.scan_downsweep(rec, step);

    // RAW: scan_downsweep → sort_scatter. A boid's place is its cell's start plus its rank.
    rec.barrier(Dependency {
        name: "downsweep-to-scatter",
        guards: &["cell_starts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.sort_scatter(rec, step);

    // RAW: sort_scatter → steer. Neighbors are read from the sorted copy. The same execution order resolves
    // the WAR hazard on the state, which the scatter has read and steer writes anew.
    rec.barrier(Dependency {
        name: "scatter-to-steer",
        guards: &["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.steer(rec, step);
}
