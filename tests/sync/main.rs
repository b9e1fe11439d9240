//! The frame's synchronization: what it declares and needs, what the prover and the layer find, and what docs/synchronisation.md says.

#[path = "../common/mod.rs"]
mod common;
mod course;
mod damage;
mod exercises;
mod formats;
mod frames;
mod planted;
mod prover;
mod random_frames;
