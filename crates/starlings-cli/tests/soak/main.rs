//! Long use: memory stays what it is, validation says nothing, and the step's time is reported. For minutes or hours,
//! one test each:
//!
//! ```sh
//! STARLINGS_SOAK_SECONDS=3600 cargo test --release --test soak -- --ignored --nocapture a_window_under_validation
//! STARLINGS_SOAK_SECONDS=900 cargo test --release --test soak -- --ignored --nocapture a_window_for_long
//! STARLINGS_SOAK_SECONDS=1200 STARLINGS_SOAK_BOIDS=1000000 cargo test --release --test soak -- --ignored --nocapture a_flock
//! ```
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod devices;
mod headless;
mod memory;
mod window;

use std::time::Duration;

/// A number from the environment, which names what a soak is to be like.
fn asked(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text}: a whole number is wanted")),
        Err(_) => otherwise,
    }
}

/// How long a test is to last.
fn duration() -> Duration {
    Duration::from_secs(asked("STARLINGS_SOAK_SECONDS", 20))
}
