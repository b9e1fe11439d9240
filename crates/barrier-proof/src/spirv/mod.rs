//! What the kernels access, read from their SPIR-V: [`module`] decodes it, [`values`] knows which values are constant,
//! [`numbers`] which belong to one invocation, [`scopes`] what barriers and atomics order, and [`flow`] whether all
//! invocations reach a barrier. [`accesses`] lists the accesses to buffers, images and shared variables, and [`races`]
//! those that no barrier separates. Where it takes more than the kernel's text to tell, [`dispatches`] executes its
//! [`invocations`] on [`ranges`] of values, as far as the [`plan`] asks for it. [`mutants`] changes each attribute of
//! its barriers and atomics.

mod accesses;
mod dispatches;
mod flow;
mod invocation_id;
mod invocations;
mod module;
mod mutants;
mod numbers;
mod plan;
mod races;
mod ranges;
mod scopes;
mod values;

pub use accesses::{Kernel, Memory, Variable};
pub use races::{Defect, Race};
