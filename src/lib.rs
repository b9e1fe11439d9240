//! Flocks simulated and drawn by one Vulkan command buffer per frame, with every barrier written by hand.
//!
//! <!-- frame -->
//! ```text
//! step      grid_clear → grid_count → scan_reduce → scan_spine → scan_downsweep → sort_list → sort_scatter → steer
//! picture   samples_clear → draw_reset → cull → mirror → draw_boids → compose → copy_to_image → panels → present
//! ```
//! <!-- /frame -->
//!
//! # A flock in your own program
//!
//! Create an instance and a device that meet [`Requirements`], pass them to [`Device::adopt`], and record steps into
//! your own command buffer. `examples/embed.rs` is a complete program; `docs/embedding.md` is the full contract.
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
//! Start with [`frame`]: the frame from top to bottom, each pass and each barrier. Modules use only those above them:
//!
//! * `barrier_proof`, a crate of its own: the recorder, its journal, and the proof that every barrier is needed and
//!   together they suffice.
//! * [`vk`]: all raw Vulkan. It knows nothing of flocks, and only it has `unsafe` code, by a rule of this crate. Beside
//!   it, [`limits`] and [`transitions`] have what host and shaders agree on, and [`mesh`] what a triangle mesh is.
//! * [`flock`], without a device: settings, presets, laws, searches, and where boids start; and [`laws`]: how they
//!   move, in any precision.
//! * [`mod@reference`], the CPU twin of each kernel, and [`cpu`], the CPU engine: two users of the laws.
//! * [`shaders`]: the kernels, of `glsl/`, as SPIR-V; and [`flock`] on a device: its buffers, its steppers, and
//!   [`Flock`] itself.
//! * [`render`]: draws a flock. [`frame`] records steps and pictures.
//! * [`simulation`] and [`offscreen`]: run flocks without a window. [`copy_rate`]: the bound that passes are compared
//!   with.
//!
//! `docs/architecture.md` says how these fit together.

#![deny(unsafe_code)]

// Its examples compile.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
mod embedding {}

pub mod cancel;
pub mod copy_rate;
pub mod cpu;
pub mod error;
pub mod flock;
pub mod frame;
pub mod host_memory;
pub mod input;
pub mod laws;
pub mod limits;
pub mod mesh;
pub mod offscreen;
pub mod reference;
pub mod render;
pub mod shaders;
pub mod simulation;
pub mod threads;
pub mod transitions;
pub mod vk;

/// The bindings whose handles a host program passes in, the recorder's own crate, and the vectors of settings and
/// states.
pub use {ash, barrier_proof, glam};

pub use cancel::Cancel;
pub use error::{Error, Result};
pub use flock::{Flock, Settings};
pub use frame::{AFTER_STEPS, BEFORE_STEPS, record_steps};
pub use vk::{AdoptOptions, Device, Enabled, Features, HostDevice, RecordOptions, Recorder, Requirements};
