//! What the kernels access, read from their SPIR-V: [`module`] decodes it, [`values`] knows which values are constant or belong to one
//! invocation, [`accesses`] lists the accesses to buffers, images and shared variables, and [`races`] those that no barrier separates.
//! Where it takes more than the kernel's text to tell, [`dispatches`] executes its [`invocations`] on [`ranges`] of values, as far as the
//! [`plan`] asks for it.

mod accesses;
mod dispatches;
mod invocations;
mod module;
mod plan;
mod races;
mod ranges;
mod values;

pub use accesses::{Kernel, Memory};
pub use races::Race;
