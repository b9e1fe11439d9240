//! Analysis and proof of the frame's synchronization: [`barrier_proof`] on the frames of this program.
//!
//! [`frames`](frames::frames) is the table of the kinds of frames. [`Rehearsal`] records a kind, and runs it with as
//! many in flight as there are slots; [`prove`] proves that it is sufficiently synchronized. [`queue`] lays a frame out
//! over time, for pictures.

mod drawing;
pub mod exercises;
pub mod frames;
mod gfxreconstruct;
pub mod journal_file;
pub mod kernels;
pub mod loops;
pub mod prove;
pub mod queue;
mod rehearsal;
pub mod transfers;

pub use barrier_proof::{
    Arrow, Between, BlindSpot, Conflict, HOST, NOBODY, PRESENT, PlacedConflict, Rehearsal as Rehearse, Reliance,
    Report, Schedule, Site, Width, arrows, between, blind, blind_spot, chain, check, checker, host, names, nodes,
    reliance, shapes, sight, sites, width, widths,
};
pub use drawing::{Drawing, Images};
pub use frames::{FrameKind, FrameSpec, frames};
pub use rehearsal::{IN_FLIGHT, Rehearsal};
