//! What only some frames hold: boids that heed more than their law, order parameters, trails, and steps that the processor has
//! taken.

use crate::flock::{Flock, StepSlot};
use crate::render::Scene;
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records what boids heed besides their law. `find_leader` stands beside `steer`, since both only read the sorted copy.
pub(super) fn record_following(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "steer-to-follow",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["position_vx", "velocity_yz", "boid_id", "leader_position"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "What boids heed changes, in place, where the law has put them; and the leader has to be found first.",
    });
    flock.follow(rec, step);
}

/// Records the order parameters of the flock before a step that has just been observed: sum it up, take means, and once the
/// center of mass is known, the same again for how the flock turns around it.
pub(super) fn record_order(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
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
    flock.order_reduce(rec, step);

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
    flock.order_mean(rec, step);

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
    flock.milling_reduce(rec, step);

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
    flock.milling_mean(rec, step);

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

/// Records the arrival of a step that the processor has taken. The host has written it before the submission, which makes
/// it visible to all that the device does; a frame brings over one state, however many steps led to it.
pub(super) fn record_uploaded_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "cull-to-upload",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "cell_starts"],
        relies_on: &["draw-to-frame"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COPY,
        dst_access: Access::NONE,
        reason: "The frame before has culled by the state and the cells that are replaced now. It has drawn the state as well, \
                 but draw-to-frame makes compute shaders wait for that, and the copy waits for them.",
    });
    flock.state_upload(rec, step);

    rec.barrier(Dependency {
        name: "upload-to-cull",
        hazards: &[Hazard::Raw, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "cell_starts"],
        relies_on: &["cull-to-draw"],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "cull reads the state, and for its shadows the cells, where they were copied to, in this frame and in later ones \
                 that bring nothing new. (The vertex shader reads the \
                 state, too. The copy's writes are available from here on, and cull-to-draw makes them visible to it.)",
    });
}
