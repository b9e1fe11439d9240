//! Camera, meshes and the draw pass.

pub mod attachments;
