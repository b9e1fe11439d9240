//! The frame's synchronization: what it declares and needs, what the prover and the layer find, and what
//! docs/synchronization.md says.

mod captures;
#[path = "../common/mod.rs"]
mod common;
mod course;
mod damage;
mod exercises;
mod formats;
mod frames;
mod loops;
mod planted;
mod random_frames;
mod transfers;
