//! The frame: [`record_steps`] and [`record_frame`] list its passes in order and, between them, the barriers, each with
//! the hazards that it resolves and what goes wrong without it. Nothing is inferred: `starlings sync` prints what is
//! recorded here, and `starlings sync prove` checks that each bit of the masks is needed.
//!
//! The whole default frame is one page, `default.rs`: read it first. Each other kind is a file beside it: the steps of
//! other searches (`bitonic_sorted`, `unsorted`) and of a CPU engine (`uploaded`), pictures for the host (`host`), for
//! a program that embeds the frame (`embedded_image`) and of windows that draw nothing over them or are starting
//! (`window`), pictures in two rounds, and what only some flocks and looks record (`optional`).
//!
//! All work goes to one queue. There, the first scope of a barrier includes all commands earlier in submission order,
//! also those of earlier submissions: so the first barriers of a step order it after the previous frame, without
//! semaphores or host waits.

mod bitonic_sorted;
mod boid_copy;
mod default;
mod driver;
mod embedded;
mod embedded_image;
mod host;
mod optional;
mod two_rounds;
mod unsorted;
mod uploaded;
mod view;
mod window;

pub use boid_copy::BoidCopy;
pub use driver::{OpenFrame, record};
pub use embedded::{AFTER_STEPS, BEFORE_STEPS};
pub use view::{FrameView, ImageUse, Output, Overlay};
pub use window::{ACQUIRE_STAGE, record_starting_frame};

use crate::flock::{Flock, StepSlot, Stepper};
use crate::vk::Recorder;

/// Records simulation steps, and makes the crowding that they measured visible to the host.
pub fn record_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    for &step in steps {
        rec.in_step(step.step());
        record_step(rec, flock, step);
    }
    end_steps(rec, flock, steps);
}

/// After the last step of a submission.
fn end_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    if let (Stepper::CountingSorted(_), false) = (flock.stepper(), steps.is_empty()) {
        default::end_steps(rec);
    }
}

/// Records one frame: its simulation steps, then the picture of the resulting state.
pub fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    match flock.stepper() {
        Stepper::Uploaded(_) => uploaded::record_frame(rec, flock, steps, view),
        _ => default::record_frame(rec, flock, steps, view),
    }
    rec.end_group();
}

/// Ends the steps of a frame; what follows is its picture.
fn begin_picture(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    end_steps(rec, flock, steps);
    rec.begin_group("picture", None);
}

/// Records one step by the flock's stepper, and the order parameters of the flock before it, if they are requested.
fn record_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.begin_group("step", Some(step.step()));
    match flock.stepper() {
        Stepper::CountingSorted(sorted) => default::step(rec, flock, sorted, step),
        Stepper::BitonicSorted(sorted) => bitonic_sorted::step(rec, flock, sorted, step),
        Stepper::Unsorted(unsorted) => unsorted::step(rec, flock, unsorted, step),
        Stepper::Uploaded(uploaded) => uploaded::step(rec, flock, uploaded, step),
    }
    optional::after_steer(rec, flock, step);
    rec.end_group();
}

/// Hands the picture to its output.
fn record_output(rec: &mut Recorder<'_>, flock: &Flock, view: &FrameView<'_>) {
    match (view.output, view.draws_over()) {
        (Output::Display, true) => default::display(rec, flock, view),
        (Output::Display, false) => window::display_bare(rec, flock, view),
        (Output::Host(bytes), false) => host::pixels(rec, view, bytes),
        (Output::Host(bytes), true) => host::image(rec, view, bytes),
        (Output::Image(to), _) => embedded_image::image(rec, view, to),
    }
}

/// The words of the files here: what passes and barriers name.
mod words {
    pub(super) use super::boid_copy::BOID_COPY;
    pub(super) use super::window::ACQUIRE_STAGE;
    pub(super) use super::{FrameView, optional, two_rounds};
    pub(super) use crate::flock::buffers::*;
    pub(super) use crate::flock::steppers::*;
    pub(super) use crate::flock::{Flock, StepSlot};
    pub(super) use crate::render::resources::*;
    pub(super) use crate::render::{Picture, Scene};
    pub(super) use crate::vk::{Buffer, Pass, Recorder, Stage, uses};
    pub(super) use barrier_proof::{barrier, barriers, dependency, image_barrier};
}
