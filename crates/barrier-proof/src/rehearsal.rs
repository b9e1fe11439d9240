//! What a proof needs of a program: its frames, recorded with faults, and run where they can.

use crate::{Fault, Journal, Message, PlannedFrame, Resource, Watch};
use std::fmt;

/// A kind of frame, with its name.
pub trait Frame: Clone + fmt::Display {
    /// A wider class of such frames.
    type Class: Copy + Ord + fmt::Display;

    /// Its class.
    fn class(&self) -> Self::Class;
}

/// Frames of one kind, which can be recorded, and perhaps run. They differ in their shape: a number, as of the passes
/// that repeat.
pub trait Rehearsal {
    /// A kind of frame.
    type Frame: Frame;
    /// What a recording or a run can fail at.
    type Error;

    /// What a shape counts, as in "frames of 2 steps".
    const COUNTED: &'static str;

    /// Every shape that frames can have, as far as shapes differ in their order of passes and dependencies.
    const SHAPES: &'static [u32];

    /// Shapes of the frames that are tried with every mutant, in sequence.
    const SEQUENCE: &'static [u32];

    /// Shapes of more frames than are in flight, which reuse objects of earlier ones.
    const LONG_SEQUENCE: &'static [u32];

    /// Buffers that frames in flight share, each accessing a part that is not known.
    const SHARED: &'static [Resource] = &[];

    /// Whether frames can run here, and not only be recorded.
    fn can_run(&self) -> bool;

    /// Records frames of these shapes, without running them, as the first ones of a program.
    ///
    /// # Errors
    /// Those of a recording.
    fn journals(&mut self, shapes: &[u32], faults: &[Fault]) -> Result<Vec<Journal>, Self::Error>;

    /// Records one frame more without running it.
    ///
    /// # Errors
    /// Those of a recording.
    fn journal(&mut self, shape: u32, faults: &[Fault]) -> Result<Journal, Self::Error>;

    /// Runs frames of these shapes, as the first ones of a program, with as many in flight as it has otherwise, and
    /// waits for the last.
    ///
    /// # Errors
    /// Those of a run.
    fn run(&mut self, shapes: &[u32], faults: &[Fault]) -> Result<Vec<Journal>, Self::Error>;

    /// Does this, and returns the messages of synchronization validation meanwhile; none where the layer is not loaded.
    fn with_messages<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Message>);

    /// What the host does meanwhile is noted here.
    fn watch(&self) -> &Watch;

    /// What frames use, by slot and by image of a swapchain; nothing without one.
    fn plan(&self) -> Vec<Vec<PlannedFrame>> {
        Vec::new()
    }
}
