//! The engine's error type.

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
    /// A Vulkan call failed.
    #[error("{operation} failed on {object}: {result}{after}")]
    Vulkan {
        /// The call, e.g. `vkCreateBuffer`.
        operation: &'static str,
        /// Name of the object that it was to create or use.
        object: String,
        /// The driver's result.
        result: ash::vk::Result,
        /// After a lost device, what is known of when it was lost, and what the driver reports, each with a leading `;
        /// `; else empty.
        after: String,
    },
    /// The synchronization of what was to be submitted, or of what the host did, is wrong.
    #[error("the synchronization is wrong {0}")]
    Unsynchronized(String),
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
    /// A file that was to be opened cannot be used.
    #[error("{0}")]
    Input(String),
    /// A [`Cancel`](crate::Cancel) was requested.
    #[error("cancelled")]
    Cancelled,
    /// RenderDoc could not write a capture.
    #[error("cannot write RenderDoc's capture: {0}")]
    Capture(String),
}

impl Error {
    /// The setting `name` has a value that cannot be used.
    pub fn setting(name: &str, value: impl ToString, accepted: impl Into<String>) -> Error {
        Error::Setting { name: name.into(), value: value.to_string(), accepted: accepted.into() }
    }

    /// The error of the Vulkan call `operation` for `object`.
    pub fn vulkan(operation: &'static str, object: &str) -> impl FnOnce(ash::vk::Result) -> Error {
        move |result| Error::Vulkan { operation, object: object.to_owned(), result, after: String::new() }
    }

    /// The error of a surface that was lost, found by `operation`.
    pub fn surface_lost(operation: &'static str) -> Error {
        Error::vulkan(operation, "window")(ash::vk::Result::ERROR_SURFACE_LOST_KHR)
    }

    /// The error of a window that its swapchain never fits, found by `operation`.
    pub fn out_of_date(operation: &'static str) -> Error {
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
}
