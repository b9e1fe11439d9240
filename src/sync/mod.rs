//! Analysis and proof of the frame's synchronization.
//!
//! A recorder notes in a [`Journal`](crate::vk::Journal) what it records. [`frames`](frames::frames) is the table of the kinds
//! of frames. [`Rehearsal`] records a kind, and runs it with as many in flight as there are slots; [`checker`] checks journals by
//! the specification's rules, without a device. With it, [`between`](between::between) finds what each dependency prevents,
//! [`reliance`](reliance::reliance) whether it does so without the others, and [`prove`] whether each is needed. [`queue`] lays a frame
//! out over time, for pictures.

mod arrows;
pub mod between;
pub mod blind;
pub mod checker;
mod conflict;
mod drawing;
mod events;
pub mod exercises;
pub mod frames;
pub mod host;
pub mod kernels;
mod layer;
mod layouts;
pub mod names;
mod overlap;
pub mod places;
pub mod prove;
pub mod queue;
mod rehearsal;
pub mod reliance;
pub mod shapes;
mod spirv;
pub mod width;

pub use arrows::{Arrow, arrows, nodes};
pub use between::{Between, between};
pub use blind::{BlindSpot, blind_spot};
pub use checker::check;
pub use conflict::{Conflict, HOST, NOBODY, PRESENT};
pub(crate) use drawing::{Drawing, Images};
pub use frames::{FrameKind, FrameSpec, frames};
pub use layer::Report;
pub use overlap::{Act, Meeting, Overlaps, chain};
pub use places::{Place, places};
pub use rehearsal::{IN_FLIGHT, Rehearsal};
pub use reliance::{Reliance, reliance};
pub use width::{Width, widths};
