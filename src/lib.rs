//! `starlings`: flocks simulated and drawn by one Vulkan command buffer per frame.

pub mod bench;
pub mod cpu;
pub mod damage;
pub mod error;
pub mod export;
pub mod flock;
pub mod frame;
pub mod limits;
pub mod offscreen;
mod recording;
pub mod reference;
pub mod render;
pub mod simulation;
pub mod sync;
pub mod viewer;
pub mod vk;

pub use error::{Error, Result};
