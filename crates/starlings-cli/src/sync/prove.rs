//! The proof that the listed frames have sufficient synchronization, and none that is redundant.

use super::kernels::OwnModules;
use super::{FrameSpec, Rehearsal};
use barrier_proof::prove::Program;
pub use barrier_proof::prove::{Mutant, Progress, Scope, same};
use starlings::vk::{Device, Fault, Surface};
use starlings::{Error, Result};
use std::sync::Arc;

/// The result of the proof.
pub type Proof = barrier_proof::prove::Proof<FrameSpec>;

/// Frames of one kind in the proof.
pub type Part = barrier_proof::prove::Part<FrameSpec>;

/// Tries all mutants of these frames, within this scope. `planted` are faults in every frame, for tests of the proof
/// itself. Without a `surface`, windowed frames are only recorded. `go_on` receives the count of mutants tried, and
/// stops the run by an error.
///
/// # Errors
/// [`Error::NoDevice`] for a device without validation; [`Error::Vulkan`] when it is lost; or the error of `go_on`.
pub fn prove<E: From<Error>>(
    device: &Arc<Device>,
    surface: Option<&Surface>,
    frames: &[FrameSpec],
    planted: &[Fault],
    scope: Scope<'_>,
    go_on: impl FnMut(Progress) -> Result<(), E>,
) -> Result<Proof, E> {
    if !device.instance().validating() {
        return Err(
            Error::NoDevice("a proof needs the validation layer, but the device was opened without it".into()).into()
        );
    }
    let rehearse = |frame: &FrameSpec| Rehearsal::new(device, frame, surface);
    barrier_proof::prove::prove(&Program { frames, rehearse: &rehearse, modules: &OwnModules, planted, scope }, go_on)
}

/// Records these frames on another device, whose kernels or rounds differ, for a proof to be extended by: for a device
/// that the layer cannot follow, such as one whose kernels access arrays by address. `go_on` stops the run by an error.
///
/// # Errors
/// [`Error::Vulkan`] when the device is lost; or the error of `go_on`.
pub fn recorded<E: From<Error>>(
    device: &Arc<Device>,
    what: &'static str,
    frames: &[FrameSpec],
    go_on: impl FnMut() -> Result<(), E>,
) -> Result<Proof, E> {
    let rehearse = |frame: &FrameSpec| Rehearsal::new(device, frame, None);
    let program = Program { frames, rehearse: &rehearse, modules: &OwnModules, planted: &[], scope: Scope::default() };
    barrier_proof::prove::recorded(&program, what, go_on)
}
