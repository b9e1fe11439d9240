//! Camera, meshes and the draw pass.
