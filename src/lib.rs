//! Flocks simulated and drawn by one Vulkan command buffer per frame, with every barrier written by hand.
//!
//! ```text
//!             ┌────────────────────────────── once per simulation step ────────────────────────────────┐
//!  grid_clear → grid_count → scan_reduce → scan_spine → scan_downsweep → sort_list → sort_scatter → steer
//!    zero the    an atomic    └────── where each cell starts ───────┘    list the     move all     visit the
//!     counts     per boid                                               ids of each   boids into   neighbors,
//!                                                                          cell       order: by    move
//!                                                                                     cell, id      │
//!  present or copy ← compose ←──── draw_boids ←──── cull ← mirror ← draw_reset ← samples_clear ←────────┘
//!                    pixels of     near boids, by   small boids: put into the samples
//!                    the samples   an indirect      of the picture at once; near ones:
//!                                  draw             listed for the draw
//! ```
//!
//! # A flock in your own program
//!
//! Create an instance and a device that meet [`Requirements`], pass them to [`Device::adopt`], and record steps into your own
//! command buffer. `examples/embed.rs` is a complete program; `docs/embedding.md` is the full contract.
//!
//! ```no_run
//! use ash::vk;
//! use starlings::flock::buffers::POSITION_VX;
//! use starlings::{AFTER_STEPS, BEFORE_STEPS, record_steps};
//! use starlings::{Device, Flock, HostDevice, RecordOptions, Recorder, Settings};
//!
//! /// Once: a flock on your device, with two frames in flight.
//! fn set_up(host: &HostDevice<'_>) -> starlings::Result<Flock> {
//!     // SAFETY: the handles are valid, and outlive the flock; see `Device::adopt` for the rest.
//!     let device = unsafe { Device::adopt(host) }?;
//!     Flock::new(&device, &Settings::preset("counting-sort")?.with_boids(20_000), 2)
//! }
//!
//! /// Each frame, with `slot` 0 or 1, once the device has finished the frame that last used this slot.
//! fn frame(flock: &mut Flock, commands: vk::CommandBuffer, slot: usize) -> starlings::Result<()> {
//!     let steps = flock.prepare_steps(slot, 1);
//!     // SAFETY: the commands are in the recording state, and submitted once to the adopted queue.
//!     let mut rec = unsafe { Recorder::adopt(flock.device(), commands, RecordOptions::default()) };
//!     rec.barrier(BEFORE_STEPS);
//!     record_steps(&mut rec, flock, &steps);
//!     rec.barrier(AFTER_STEPS);
//!     rec.finish()?;
//!     // From here on, your shaders can read the boids: `vec4` each, position and x velocity.
//!     let _state: vk::Buffer = flock.buffers()[POSITION_VX].handle();
//!     Ok(())
//! }
//! ```
//!
//! # Where to continue
//!
//! * [`frame`]: the frame from top to bottom, each pass and each barrier. Start here.
//! * [`flock`]: settings, presets, laws and searches, and the flock on the device; its kernels are in `glsl/`.
//! * [`vk`]: all raw Vulkan, and all `unsafe` code.
//! * [`render`]: draws a flock. [`simulation`] and [`offscreen`] run one without a window, [`viewer`] in one.
//! * [`sync`]: the proof that, in the frames it lists, every barrier is needed and together they suffice.
//! * [`mod@reference`]: the CPU twin of each kernel, and [`cpu`]: the CPU engine.
//!
//! `docs/architecture.md` says how these fit together.

#![deny(unsafe_code)]

pub mod bench;
pub mod cpu;
pub mod damage;
pub mod error;
pub mod export;
pub mod flock;
pub mod frame;
mod host_memory;
pub mod input;
pub mod laws;
pub mod limits;
pub mod mesh;
pub mod offscreen;
mod recording;
pub mod reference;
pub mod render;
pub mod simulation;
pub mod sync;
pub mod threads;
pub mod transitions;
pub mod viewer;
pub mod vk;

/// The bindings whose handles a host program passes in.
pub use ash;

pub use error::{Error, Result};
pub use flock::{Flock, Settings};
pub use frame::{AFTER_STEPS, BEFORE_STEPS, record_steps};
pub use vk::{Device, Enabled, Features, HostDevice, RecordOptions, Recorder, Requirements};
