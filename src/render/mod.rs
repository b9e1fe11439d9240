//! Camera, meshes, light and the draw pass.
//!
//! Owns everything between the simulated state and the picture. The simulation's buffers are what the vertex
//! shader reads: no boid passes through the host.

pub mod attachments;
pub mod camera;
pub mod layout;
pub mod mesh;
mod palette;
pub mod scene;

pub use camera::Camera;
pub use scene::{Look, Scene, SceneSlot, View};
