//! Output files: NumPy archives of trajectories, tables of order parameters, pictures and traces.
//!
//! Each has no name until it is complete, so that a crash, a full disk or a killed program leaves nothing behind.

mod archive;
mod digest;
mod file;
mod folder;
mod order;
mod parameters;
mod picture;
mod trace;

pub use archive::FlockArchive;
pub use digest::digest;
pub use file::{Existing, OutputFile, Written, followed};
pub use folder::OutputFolder;
pub use order::OrderFile;
pub use parameters::parameters;
pub use picture::write_png;
pub use trace::{MOST_PIECES, Trace, TraceLayer};
