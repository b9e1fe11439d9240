//! Steps of an unsorted flock.

use super::optional::record_leader;
use crate::flock::steppers::Unsorted;
use crate::flock::{Flock, StepSlot};
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records a step whose search needs no order: copy, steer.
pub(super) fn record_unsorted_step(rec: &mut Recorder<'_>, flock: &Flock, unsorted: &Unsorted, step: StepSlot) {
    rec.barrier(Dependency {
        name: "steer-to-copy",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::PreviousFrame],
        guards: &[
            "position_vx",
            "velocity_yz",
            "boid_id",
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "leader_position",
        ],
        relies_on: &["copy-to-steer"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_READ,
        reason: "The previous step moved the boids, and read the copy that is overwritten here.",
    });
    unsorted.state_copy(rec, flock.state_on_device());

    rec.barrier(Dependency {
        name: "copy-to-steer",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::PreviousFrame],
        guards: &[
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "position_vx",
            "velocity_yz",
            "boid_id",
            "leader_position",
        ],
        relies_on: &["steer-to-copy"],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "steer reads neighbors from the copy, and overwrites the state that was copied. With steer-to-copy this also \
                 orders find_leader after the previous step's steer, which reads where the leader was.",
    });
    let steering = &unsorted.steering;
    record_leader(rec, steering, step);
    if let Some(observer) = flock.observer_in(step) {
        observer.observe(rec, step, steering.groups_at_once());
    }
    steering.steer(rec, step);
}
