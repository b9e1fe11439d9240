//! The two dependencies that a program records around steps in a command buffer of its own, of a flock that kernels step.
//!
//! ```text
//! BEFORE_STEPS → record_steps → AFTER_STEPS → the program's passes that read the state
//! ```
//!
//! The program reads `position_vx`, `velocity_yz` and `boid_id` as storage buffers, in compute and vertex shaders, and
//! writes none of them. It submits in order, to the one queue that all steps of the flock go to. Waiting on the host, before
//! a slot of steps is used again or the flock is destroyed, is its own affair too: no dependency does that.

use crate::vk::{Access, Dependency, Hazard, Stage};

/// Comes before the steps. What the program must do: record it, after all its commands that read the state which the steps
/// before have left, in this command buffer or an earlier submission. What holds after it: the steps overwrite the state only
/// once the vertex shaders before it have read it.
///
/// Compute shaders that have read the state need nothing more than the steps' own dependencies, whose first scopes hold
/// every compute shader before them. A program that reads the state in other stages adds those to `src_stage`.
pub const BEFORE_STEPS: Dependency = Dependency {
    name: "embedder-to-steps",
    hazards: &[Hazard::War, Hazard::PreviousFrame],
    guards: &["position_vx", "velocity_yz", "boid_id"],
    relies_on: &[],
    src_stage: Stage::VERTEX_SHADER,
    src_access: Access::NONE,
    dst_stage: Stage::COMPUTE_SHADER,
    dst_access: Access::NONE,
    reason: "The program has drawn from the state that the steps overwrite.",
};

/// Comes after the steps. What the program must do: record it, before its commands that read the state. What holds after
/// it: compute and vertex shaders read the state that the steps have left.
///
/// A program that reads the state in other stages, or as something else than a storage buffer, adds those to `dst_stage`
/// and `dst_access`.
pub const AFTER_STEPS: Dependency = Dependency {
    name: "steps-to-embedder",
    hazards: &[Hazard::Raw],
    guards: &["position_vx", "velocity_yz", "boid_id"],
    relies_on: &[],
    src_stage: Stage::COMPUTE_SHADER,
    src_access: Access::SHADER_STORAGE_WRITE,
    // In a constant: COMPUTE_SHADER | VERTEX_SHADER.
    dst_stage: Stage::from_raw(Stage::COMPUTE_SHADER.as_raw() | Stage::VERTEX_SHADER.as_raw()),
    dst_access: Access::SHADER_STORAGE_READ,
    reason: "The program reads the state where the steps have left it.",
};
