//! Steps that the processor has taken.

use crate::flock::steppers::Uploaded;
use crate::flock::{Flock, StepSlot};
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records the arrival of a step that the processor has taken. The host has written it before the submission, which makes
/// it visible to all that the device does; a frame brings over one state, however many steps led to it.
pub(super) fn record_uploaded_step(rec: &mut Recorder<'_>, flock: &Flock, uploaded: &Uploaded, step: StepSlot) {
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
    uploaded.state_upload(rec, flock.state_on_device(), step);

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
