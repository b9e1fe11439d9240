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
use crate::vk::Dependency;
use barrier_proof::dependency;

/// Comes before the steps. The program must record it after all its commands that read the state left by earlier steps,
/// in this command buffer or an earlier submission. The steps then overwrite the state only after the earlier vertex
/// shaders have read it.
///
/// Compute shaders that read the state need only the steps' own dependencies, whose first scopes include all earlier
/// compute shaders. A program that reads the state in other stages adds those to `src_stage`.
pub const BEFORE_STEPS: Dependency = dependency!("embedder-to-steps", [War, PreviousFrame], [STATE],
    (VERTEX_SHADER, NONE) => (COMPUTE_SHADER, NONE),
    "The program has drawn from the state that the steps overwrite.");

/// Comes after the steps. The program must record it before its commands that read the state. Later compute and vertex
/// shaders then read the state that the steps left.
///
/// A program that reads the state in other stages, or not as a storage buffer, adds to `dst_stage` and `dst_access`.
pub const AFTER_STEPS: Dependency = dependency!("steps-to-embedder", [Raw], [STATE],
    (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER | VERTEX_SHADER, SHADER_STORAGE_READ),
    "The program reads the state that the steps left.");
