//! Files that the program leaves behind: NumPy archives of a flock's course, tables of order parameters,
//! pictures, and traces.
//!
//! Each is written beside its name and renamed when it is whole, so that a crash, a full disk or Ctrl-C never
//! leaves half a file.

mod archive;
mod file;
mod order;
mod parameters;
mod picture;
mod trace;

pub use archive::FlockArchive;
pub use file::{Existing, OutputFile, OutputFolder};
pub use order::OrderFile;
pub use parameters::parameters;
pub use picture::write_png;
pub use trace::{MOST_PIECES, Trace, TraceLayer};
