//! Output files: NumPy archives of trajectories, checkpoints, tables of order parameters, pictures, videos and traces.
//! Checkpoints and what pictures remember are read again here, too.
//!
//! Each has no name until it is complete, so that a crash, a full disk or a killed program leaves nothing behind.

mod animated;
mod archive;
mod checkpoint;
mod digest;
mod ffmpeg;
mod file;
mod folder;
mod npz;
mod order;
mod parameters;
mod picture;
mod place;
mod trace;
mod video;
mod video_memory;

pub use animated::{read_model, write_model};
pub use archive::{FlockArchive, TrajectoryFile};
pub use checkpoint::Checkpoint;
pub use digest::digest;
pub use file::{Existing, OutputFile, Written, followed, words};
pub use folder::OutputFolder;
pub use order::OrderFile;
pub use parameters::{parameters, parameters_of_picture};
pub use picture::{Memory, remembered, write_png};
pub use trace::{MOST_PIECES, Trace, TraceLayer};
pub use video::{VideoFile, VideoFormat};
pub use video_memory::video_memory;
