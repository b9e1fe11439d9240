//! Steps that the CPU engine has taken.

use crate::flock::steppers::Uploaded;
use crate::flock::{Flock, StepSlot};
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};

/// Records the upload of a state from the CPU engine. The host has written it before the submission, which makes it visible to
/// the device. A frame uploads one state, however many steps led to it.
pub(super) fn record_uploaded_step(rec: &mut Recorder<'_>, flock: &Flock, uploaded: &Uploaded, step: StepSlot) {
    rec.barrier(Dependency {
        name: "cull-to-upload",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id"],
        relies_on: &["overlay-to-frame"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COPY,
        dst_access: Access::NONE,
        reason: "The previous frame's trails are drawn from the state that is replaced here. overlay-to-frame makes compute \
                 shaders wait for that, and the copy waits for compute shaders. (Its cull reads the state too, but its \
                 compose-to-copy has ordered that before all later copies.)",
    });
    uploaded.state_upload(rec, flock.state_on_device(), step);

    rec.barrier(Dependency {
        name: "upload-to-cull",
        hazards: &[Hazard::Raw, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "cell_starts"],
        relies_on: &["cull-to-draw", "compose-to-copy"],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "cull reads the state, and the cells for its shadows, in this frame and in later ones without a new state. (The \
                 vertex shader of trails reads the state too, and so does the copy for a window that looks for boids: this makes the \
                 writes available, and cull-to-draw and compose-to-copy make them visible to those.)",
    });
}
