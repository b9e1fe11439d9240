//! The program `starlings`: its command line, its window, what it exports, and its benchmarks.

#![deny(unsafe_code)]

pub mod bench;
pub mod camera_path;
mod cli;
pub mod damage;
pub mod error;
pub mod export;
pub mod flight;
pub mod interrupt;
mod machine;
mod measure;
pub mod panels;
mod panics;
mod plot;
mod running;
mod sandbox;
pub mod sync;
mod system;
mod trajectory;
pub mod viewer;

#[doc(hidden)]
pub use cli::inputs;
pub use cli::{main, main_with, scripted};
pub use error::{Error, Result};

/// `$XDG_CACHE_HOME/starlings`, or the equivalent on other systems: the folder of pipeline caches.
fn cache_folder() -> Option<std::path::PathBuf> {
    directories::ProjectDirs::from("", "", "starlings").map(|folders| folders.cache_dir().to_owned())
}
