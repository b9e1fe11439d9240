//! Output files: NumPy archives of trajectories, tables of order parameters, pictures and traces.
//!
//! Each is written to a temporary file and renamed when it is complete, so a crash, a full disk or Ctrl-C leaves no partial
//! file under its name.

mod archive;
mod digest;
mod file;
mod order;
mod parameters;
mod picture;
mod trace;

pub use archive::FlockArchive;
pub use digest::digest;
pub use file::{Existing, OutputFile, OutputFolder};
pub use order::OrderFile;
pub use parameters::parameters;
pub use picture::write_png;
pub use trace::{MOST_PIECES, Trace, TraceLayer};
