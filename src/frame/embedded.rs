//! The two dependencies that a program records around steps in its own command buffer, for a flock that kernels step.
//!
//! ```text
//! BEFORE_STEPS → record_steps → AFTER_STEPS → the program's passes that read the state
//! ```
//!
//! The program reads `position_vx`, `velocity_yz` and `boid_id` as storage buffers, in compute and vertex shaders, and
//! does not write them. It submits in order, to the one queue that all steps of the flock go to. It must also wait on
//! the host before it reuses a slot of steps or destroys the flock: no dependency does that.

use crate::flock::buffers::STATE;
use crate::vk::{Access, Dependency, Hazard, Stage};

/// Comes before the steps. The program must record it after all its commands that read the state left by earlier steps,
/// in this command buffer or an earlier submission. The steps then overwrite the state only after the earlier vertex
/// shaders have read it.
///
/// Compute shaders that read the state need only the steps' own dependencies, whose first scopes include all earlier
/// compute shaders. A program that reads the state in other stages adds those to `src_stage`.
pub const BEFORE_STEPS: Dependency = Dependency {
    name: "embedder-to-steps",
    hazards: &[Hazard::War, Hazard::PreviousFrame],
    guards: &[STATE.as_slice()],
    relies_on: &[],
    src_stage: Stage::VERTEX_SHADER,
    src_access: Access::NONE,
    dst_stage: Stage::COMPUTE_SHADER,
    dst_access: Access::NONE,
    reason: "The program has drawn from the state that the steps overwrite.",
};

/// Comes after the steps. The program must record it before its commands that read the state. Later compute and vertex
/// shaders then read the state that the steps left.
///
/// A program that reads the state in other stages, or not as a storage buffer, adds to `dst_stage` and `dst_access`.
pub const AFTER_STEPS: Dependency = Dependency {
    name: "steps-to-embedder",
    hazards: &[Hazard::Raw],
    guards: &[STATE.as_slice()],
    relies_on: &[],
    src_stage: Stage::COMPUTE_SHADER,
    src_access: Access::SHADER_STORAGE_WRITE,
    // In a constant: COMPUTE_SHADER | VERTEX_SHADER.
    dst_stage: Stage::from_raw(Stage::COMPUTE_SHADER.as_raw() | Stage::VERTEX_SHADER.as_raw()),
    dst_access: Access::SHADER_STORAGE_READ,
    reason: "The program reads the state that the steps left.",
};
