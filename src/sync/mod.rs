//! The frame's synchronization as something to print and to prove.
//!
//! A recorder notes in a [`Journal`](crate::vk::Journal) what it records. [`Rehearsal`] records frames of every kind, and
//! flies them with as many in flight as there are slots; [`checker`] judges journals by the specification's rules, without a
//! device; [`between`](between::between) asks it what each dependency stands between, and [`prove`] whether each is needed.

pub mod between;
pub mod checker;
mod events;
mod layer;
pub mod prove;
mod rehearsal;
mod stages;

pub use between::{Between, between};
pub use checker::{Conflict, check};
pub use layer::Report;
pub use rehearsal::{FrameKind, IN_FLIGHT, Rehearsal};
