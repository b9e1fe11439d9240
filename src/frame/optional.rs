//! What only some frames hold: a leader, order parameters and trails.

use crate::flock::steppers::Steering;
use crate::flock::{Observer, StepSlot};
use crate::render::Scene;
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records where the leader of a flock is before the step, which `steer` is told; nothing for a flock without one.
pub(super) fn record_leader(rec: &mut Recorder<'_>, steering: &Steering, step: StepSlot) {
    let Some(find_leader) = &steering.find_leader else { return };
    find_leader.record(rec, step);

    rec.barrier(Dependency {
        name: "leader-to-steer",
        hazards: &[Hazard::Raw],
        guards: &["leader_position"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Every boid steers by where the leader was before the step. (That steer of the step before has read it \
                 before it is written anew, the dependencies that led here have seen to: all wait for compute shaders.)",
    });
}

/// Records the order parameters of the flock before a step that has just been observed: sum it up, take means, and once the
/// center of mass is known, the same again for how the flock turns around it.
pub(super) fn record_order(rec: &mut Recorder<'_>, observer: &Observer, step: StepSlot) {
    rec.barrier(Dependency {
        name: "observe-to-order",
        hazards: &[Hazard::Raw],
        guards: &["observed"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The sums read what was seen of each boid. The sorted copy was made visible to compute shaders before.",
    });
    observer.order_reduce.record(rec, step);

    rec.barrier(Dependency {
        name: "order-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["order_partials"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "One workgroup adds up what the others left.",
    });
    observer.order_mean.record(rec, step);

    rec.barrier(Dependency {
        name: "mean-to-milling",
        hazards: &[Hazard::Raw],
        guards: &["order_means"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "How the flock turns is seen from its center, which is one of the means.",
    });
    observer.milling_reduce.record(rec, step);

    rec.barrier(Dependency {
        name: "milling-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["milling_partials"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Again, one workgroup adds up what the others left. The means are visible to it already.",
    });
    observer.milling_mean.record(rec, step);

    rec.barrier(Dependency {
        name: "order-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &["order_record"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "The host reads the record once it has waited for the frame's fence, which orders the two but makes nothing \
                 visible to the host. Each frame in flight has a record of its own, so nobody waits before writing one.",
    });
    rec.host_reads("order_record");
}

/// Records, for its trails, where the flock is after so many steps of the frame: every few steps, if the look has any.
pub(super) fn record_trails(rec: &mut Recorder<'_>, scene: &Scene, after: usize) {
    let Some(recording) = scene.recording(after) else { return };
    rec.barrier(Dependency {
        name: "steer-to-trail",
        hazards: &[Hazard::Raw, Hazard::Waw, Hazard::PreviousFrame],
        guards: &["position_vx", "boid_id", "trail_history"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "It records where steer has moved the boids, next to what was recorded before: of that it reads the last \
                 moment, and writes over the oldest.",
    });
    scene.trail_record(rec, recording);
}
