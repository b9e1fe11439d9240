//! The one error type of the library.

use std::path::PathBuf;

/// Shorthand for a result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong, named by the operation and the object it failed on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting has a value that the simulation cannot use.
    #[error("{name} is {value}; accepted is {accepted}")]
    Setting {
        /// The setting, e.g. `boids` or `world_size (x)`.
        name: String,
        /// The value given.
        value: String,
        /// What would be accepted, with its unit.
        accepted: String,
    },
    /// The machine has no Vulkan loader, no driver, or no device that will do.
    #[error("{0}")]
    NoDevice(String),
    /// A device has not, or a host has not enabled, what is needed of it.
    #[error("{device} lacks {}", missing.join(", "))]
    Lacks {
        /// Name of the device.
        device: String,
        /// What is missing: features, extensions and limits by the names that the specification gives them.
        missing: Vec<String>,
    },
    /// The flock does not fit into the device's memory or into one of its buffers.
    #[error("{boids} boids{how} do not fit on {device}; the largest count that does is {largest}")]
    TooLarge {
        /// Boids asked for.
        boids: u64,
        /// What of it is to blame, with a space in front; empty where it is the count alone.
        how: String,
        /// Name of the device.
        device: String,
        /// The largest count that fits.
        largest: u64,
    },
    /// What was to be timed does not do what it should.
    #[error("{0}")]
    Gate(String),
    /// A run is slower than what is on file, or there is nothing to compare it with.
    #[error("{0}")]
    Regressed(String),
    /// A picture of numbers could not be drawn.
    #[error("drawing the plot failed: {0}")]
    Plot(String),
    /// A Vulkan call failed.
    #[error("{operation} failed on {object}: {result}")]
    Vulkan {
        /// The call, e.g. `vkCreateBuffer`.
        operation: &'static str,
        /// Name of the object it was to make or use.
        object: String,
        /// What the driver answered.
        result: ash::vk::Result,
    },
    /// Device memory could not be allocated.
    #[error("no memory for {object}: {reason}")]
    Allocation {
        /// Name of the buffer or image.
        object: String,
        /// What the allocator answered.
        reason: String,
    },
    /// The system would not start the threads of the CPU engine.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// There is no display to open a window on.
    #[error("no display: {0}")]
    NoDisplay(String),
    /// A capture was asked for, and RenderDoc is not there to make it.
    #[error("RenderDoc is not loaded: {0}")]
    NoRenderDoc(String),
    /// The window system refused something.
    #[error("{operation} failed: {reason}")]
    Window {
        /// What was asked of it.
        operation: &'static str,
        /// What it answered.
        reason: String,
    },
    /// An output file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// An output file is already there, and was not to be replaced.
    #[error("cannot write {}: it is already there", .0.display())]
    Exists(PathBuf),
    /// The panels could not be drawn.
    #[error("drawing the panels failed: {0}")]
    Panels(String),
    /// A flight with every dependency in place showed damage.
    #[error("the intact flight shows damage, so this program or this device is at fault: {0}")]
    Damaged(String),
    /// A dependency of the frame is missing or redundant.
    #[error(
        "the frame's synchronization is not proven: {wrong} thing(s) wrong, {redundant} redundant, {unexplained} in dispute"
    )]
    Unproven {
        /// What is wrong with the frames as they are.
        wrong: usize,
        /// Dependencies and bits that nobody misses.
        redundant: usize,
        /// Mutants about which layer and checker disagree.
        unexplained: usize,
    },
    /// The validation layer had something to say in a run that promised to be clean.
    #[error("the validation layer reported {0} message(s)")]
    Validation(usize),
}

impl Error {
    /// The setting `name` has a value that cannot be used.
    pub fn setting(name: &str, value: impl ToString, accepted: impl Into<String>) -> Error {
        Error::Setting { name: name.into(), value: value.to_string(), accepted: accepted.into() }
    }

    /// What the Vulkan call `operation` failed with, for `object`.
    pub(crate) fn vulkan(operation: &'static str, object: &str) -> impl FnOnce(ash::vk::Result) -> Error {
        move |result| Error::Vulkan { operation, object: object.to_owned(), result }
    }

    /// Whether a window has lost what Vulkan draws to, which can be made anew.
    pub fn is_surface_lost(&self) -> bool {
        matches!(self, Error::Vulkan { result: ash::vk::Result::ERROR_SURFACE_LOST_KHR, .. })
    }

    /// The program's exit status for this error: 2 usage, 3 the machine lacks something, 4 output cannot be
    /// written, 1 everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Setting { .. } => 2,
            Error::NoDevice(_)
            | Error::Lacks { .. }
            | Error::NoDisplay(_)
            | Error::NoRenderDoc(_)
            | Error::TooLarge { .. }
            | Error::Allocation { .. } => 3,
            Error::Output { .. } | Error::Exists(_) => 4,
            Error::Vulkan {
                result: ash::vk::Result::ERROR_OUT_OF_HOST_MEMORY | ash::vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                ..
            } => 3,
            _ => 1,
        }
    }
}
