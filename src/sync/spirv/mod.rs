//! What the kernels access, read from their SPIR-V: [`module`] decodes it, [`values`] knows which values are constant or belong to one
//! invocation, [`accesses`] lists the accesses to buffers, images and shared variables, and [`races`] those that no barrier separates.

mod accesses;
mod module;
mod races;
mod values;

pub use accesses::{Kernel, Memory};
