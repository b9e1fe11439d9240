//! Shared by the program's tests: what the engine's tests share, and a screen.
#![allow(dead_code, unused_imports, reason = "each test binary uses its own part")]

#[path = "../../../../tests/common/mod.rs"]
mod engine;
pub mod screen;

pub use engine::*;
