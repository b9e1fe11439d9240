//! What steps in a host's command buffer need before them, and what they leave after them.

use crate::vk::{Access, Dependency, Hazard, Stage};

/// What a host records before [`record_steps`](super::record_steps), if it reads the state anywhere.
pub const BEFORE_STEPS: Dependency = Dependency {
    name: "host-to-steps",
    hazards: &[Hazard::War, Hazard::PreviousFrame],
    guards: &["position_vx", "velocity_yz", "boid_id"],
    relies_on: &[],
    src_stage: Stage::from_raw(Stage::VERTEX_SHADER.as_raw() | Stage::COMPUTE_SHADER.as_raw()),
    src_access: Access::NONE,
    dst_stage: Stage::COMPUTE_SHADER,
    dst_access: Access::NONE,
    reason: "The host has read the state that the steps write anew.",
};

/// What a host records after [`record_steps`](super::record_steps), to read the state.
pub const AFTER_STEPS: Dependency = Dependency {
    name: "steps-to-host",
    hazards: &[Hazard::Raw],
    guards: &["position_vx", "velocity_yz", "boid_id"],
    relies_on: &[],
    src_stage: Stage::COMPUTE_SHADER,
    src_access: Access::SHADER_STORAGE_WRITE,
    dst_stage: Stage::from_raw(Stage::COMPUTE_SHADER.as_raw() | Stage::VERTEX_SHADER.as_raw()),
    dst_access: Access::SHADER_STORAGE_READ,
    reason: "The host reads the state where the steps wrote it.",
};
