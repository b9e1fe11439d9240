//! The library's error type.

use std::path::PathBuf;

/// Shorthand for a result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with the operation and the object that failed.
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
    /// An environment variable has a value that cannot be used.
    #[error("{name} is '{value}'; accepted is {accepted}")]
    Environment {
        /// The variable.
        name: &'static str,
        /// The value given.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// The machine has no Vulkan loader, no driver, or no suitable device.
    #[error("{0}")]
    NoDevice(String),
    /// A device lacks, or a host has not enabled, something required.
    #[error("{device} lacks {}", missing.join(", "))]
    Lacks {
        /// Name of the device.
        device: String,
        /// What is missing: features and extensions by the specification's names, and limits.
        missing: Vec<String>,
    },
    /// The flock does not fit into the device's memory or into one of its buffers, or into the host's memory.
    #[error("{boids} boids{how} do not fit on {device}; the largest count that does is {largest}")]
    TooLarge {
        /// Boids requested.
        boids: u64,
        /// The cause, such as ` in a picture`, with a leading space; empty if it is the count alone.
        how: String,
        /// Name of the device, or the host.
        device: String,
        /// The largest count that fits.
        largest: u64,
    },
    /// A system to be timed gives wrong results.
    #[error("{0}")]
    Gate(String),
    /// A run is slower than the recorded one, or there is nothing to compare it with.
    #[error("{0}")]
    Regressed(String),
    /// A plot could not be drawn.
    #[error("drawing the plot failed: {0}")]
    Plot(String),
    /// A Vulkan call failed.
    #[error("{operation} failed on {object}: {result}{after}")]
    Vulkan {
        /// The call, e.g. `vkCreateBuffer`.
        operation: &'static str,
        /// Name of the object that it was to create or use.
        object: String,
        /// The driver's result.
        result: ash::vk::Result,
        /// After a lost device, what is known of when it was lost, and what the driver reports, each with a leading `; `; else empty.
        after: String,
    },
    /// Device memory could not be allocated.
    #[error("no memory for {object}: {reason}")]
    Allocation {
        /// Name of the buffer or image.
        object: String,
        /// The allocator's error.
        reason: String,
    },
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// There is no display to open a window on.
    #[error("no display: {0}")]
    NoDisplay(String),
    /// A capture was requested, but RenderDoc is not loaded.
    #[error("RenderDoc is not loaded: {0}")]
    NoRenderDoc(String),
    /// The window system refused an operation.
    #[error("{operation} failed: {reason}")]
    Window {
        /// The operation.
        operation: &'static str,
        /// Its error.
        reason: String,
    },
    /// An output file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// An output file already exists, and was not to be replaced.
    #[error("cannot write {}: it is already there", .0.display())]
    Exists(PathBuf),
    /// A file that was to be opened cannot be used.
    #[error("{0}")]
    Input(String),
    /// A run with every dependency in place showed damage.
    #[error("the intact run shows damage, so this program or this device is at fault: {0}")]
    Damaged(String),
    /// A dependency of the frame is missing or redundant.
    #[error(
        "the frame's synchronization is not proven: {wrong} error(s), {redundant} redundant, {unexplained} in dispute"
    )]
    Unproven {
        /// Errors in the unchanged frames.
        wrong: usize,
        /// Dependencies and bits that are not needed.
        redundant: usize,
        /// Mutants about which layer and checker disagree.
        unexplained: usize,
    },
    /// An exercise was answered, but not rightly.
    #[error("the answer to exercise {0} is not right yet")]
    Answer(usize),
    /// The validation layer reported messages in a run that allows none.
    #[error("the validation layer reported {0} message(s)")]
    Validation(usize),
}

impl Error {
    /// The setting `name` has a value that cannot be used.
    pub fn setting(name: &str, value: impl ToString, accepted: impl Into<String>) -> Error {
        Error::Setting { name: name.into(), value: value.to_string(), accepted: accepted.into() }
    }

    /// The error of the Vulkan call `operation` for `object`.
    pub(crate) fn vulkan(operation: &'static str, object: &str) -> impl FnOnce(ash::vk::Result) -> Error {
        move |result| Error::Vulkan { operation, object: object.to_owned(), result, after: String::new() }
    }

    /// The error of a surface that was lost, found by `operation`.
    pub(crate) fn surface_lost(operation: &'static str) -> Error {
        Error::vulkan(operation, "window")(ash::vk::Result::ERROR_SURFACE_LOST_KHR)
    }

    /// The error of a window that its swapchain never fits, found by `operation`.
    pub(crate) fn out_of_date(operation: &'static str) -> Error {
        Error::vulkan(operation, "swapchain")(ash::vk::Result::ERROR_OUT_OF_DATE_KHR)
    }

    /// Whether a window has lost its surface, which can be recreated.
    pub fn is_surface_lost(&self) -> bool {
        matches!(self, Error::Vulkan { result: ash::vk::Result::ERROR_SURFACE_LOST_KHR, .. })
    }

    /// Whether the device was lost: nothing can be done with it any more.
    pub fn is_device_lost(&self) -> bool {
        matches!(self, Error::Vulkan { result: ash::vk::Result::ERROR_DEVICE_LOST, .. })
    }

    /// Whether there is no memory for an object, so that the device may go on without it.
    pub fn is_out_of_memory(&self) -> bool {
        use ash::vk::Result as Results;
        const OUT_OF: [Results; 4] = [
            Results::ERROR_OUT_OF_HOST_MEMORY,
            Results::ERROR_OUT_OF_DEVICE_MEMORY,
            Results::ERROR_OUT_OF_POOL_MEMORY,
            Results::ERROR_FRAGMENTED_POOL,
        ];
        match self {
            Error::TooLarge { .. } | Error::Allocation { .. } => true,
            Error::Vulkan { result, .. } => OUT_OF.contains(result),
            _ => false,
        }
    }

    /// The program's exit status for this error: 2 usage, 3 the machine lacks something or its Vulkan device fails, 4 output
    /// cannot be written, 1 everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Setting { .. } | Error::Environment { .. } | Error::Input(_) => 2,
            Error::NoDevice(_)
            | Error::Lacks { .. }
            | Error::NoDisplay(_)
            | Error::NoRenderDoc(_)
            | Error::TooLarge { .. }
            | Error::Threads(_)
            | Error::Vulkan { .. }
            | Error::Allocation { .. } => 3,
            Error::Output { .. } | Error::Exists(_) => 4,
            _ => 1,
        }
    }
}
