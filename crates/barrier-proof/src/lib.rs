//! Vulkan barriers that are recorded with their reasons, and proven: sufficient, and none of them redundant.
//!
//! | to | use |
//! |---|---|
//! | record passes and barriers, and note them in a [`Journal`] | [`Recorder`], [`barrier!`], [`image_barrier!`], [`uses!`] |
//! | check the journals of frames in flight by the specification's rules, without a device | [`check`] |
//! | find what each dependency prevents, and whether it does so alone | [`between()`], [`arrows()`], [`reliance()`] |
//! | find the narrowest masks | [`widths`] |
//! | prove that every dependency, and every bit of it, is needed | [`prove`](prove::prove), of a [`Rehearsal`] |
//! | compare what passes declare with the SPIR-V of their shaders, and look for races in it | [`kernels`] |
//! | check fences, semaphores, command buffers and mapped memory | [`Watch`], [`host`] |
//! | judge a running program, submission by submission | [`Watch::judge`] |
//! | record frames without any driver | [`null_driver`] |
//! | leave dependencies out on purpose | [`Fault`] |
//! | replay what the specification allows without a dependency | [`replay`] |
//! | lay a frame out over time | [`queue`] |
//! | know which faults are found, and which are not looked for | [`sight`] |
//!
//! The README says what is found and what is not looked for; `examples/pingpong` is a program that uses all of it.

mod arrows;
mod barrier;
pub mod between;
pub mod blind;
pub mod checker;
mod commands;
mod conflict;
mod error;
mod events;
mod fault;
pub mod host;
mod journal;
pub mod kernels;
mod layer;
mod layouts;
mod macros;
pub mod names;
pub mod null_driver;
mod pass;
mod proof;
pub mod prove;
pub mod queue;
mod recorder;
mod rehearsal;
pub mod reliance;
pub mod replay;
mod resource;
mod schedule;
pub mod shapes;
pub mod sight;
pub mod sites;
mod spirv;
pub mod stages;
mod stream;
mod uses;
mod watch;
pub mod width;

pub use arrows::{Arrow, arrows, nodes};
pub use barrier::{Access, Dependency, Hazard, ImageDependency, ImageRef, Layout, Masks, Stage};
pub use between::{Between, between};
pub use blind::{BlindSpot, blind_spot};
pub use checker::check;
pub use conflict::{Conflict, HOST, NOBODY, PRESENT};
pub use error::Error;
pub use fault::{Fault, MaskBit};
pub use journal::{
    Attachment, BoundShader, DependencyEntry, Dispatch, Journal, JournalEntry, PassEntry, Shader, without,
};
pub use layer::{Message, Report};
pub use pass::{Part, Pass, Use};
pub use recorder::{RecordOptions, Recorder, with_c_name};
pub use rehearsal::{Frame, Rehearsal};
pub use reliance::{Reliance, reliance};
pub use resource::{Group, Resource, interned};
pub use schedule::{Operation, PlacedConflict, Schedule, chain};
pub use sites::{Site, sites};
pub use uses::{Used, Uses};
pub use watch::{Bytes, HostEvent, PlannedFrame, Seen, Watch};
pub use width::{Width, widths};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
