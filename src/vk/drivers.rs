//! Where Vulkan comes from: the system, or a driver that the program brings along for machines that have none.

use super::physical::{self, DeviceInfo};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static BUNDLED: OnceLock<PathBuf> = OnceLock::new();

/// From now on, [`Instance::new`](super::Instance::new) takes the driver in `library` where the system has no device
/// that lacks nothing. The library is loaded without a Vulkan loader, and needs none. A second call changes nothing.
pub fn bundle(library: PathBuf) {
    BUNDLED.get_or_init(|| library);
}

/// The driver that the program brings along, if it does.
pub fn bundled() -> Option<&'static Path> {
    BUNDLED.get().map(PathBuf::as_path)
}

/// The system's loader.
pub(super) fn system() -> Result<ash::Entry> {
    // SAFETY: the loader is a trusted system library; the entry outlives the objects made from it: each keeps its
    // instance alive.
    unsafe { ash::Entry::load() }
        .map_err(|e| Error::NoDevice(format!("no Vulkan loader on this machine ({e}); install libvulkan1")))
}

/// The functions of the driver in `library`, without a loader in between.
pub(super) fn direct(library: &Path) -> Result<ash::Entry> {
    // SAFETY: the program that named it trusts it, and its functions are those of Vulkan.
    unsafe { ash::Entry::load_from(library) }
        .map_err(|e| Error::NoDevice(format!("the packaged driver {} cannot be loaded ({e})", library.display())))
}

/// Why none of the system's `devices` is taken although another driver is there; none if one is.
pub(super) fn unsuitable(devices: Vec<DeviceInfo>) -> Option<String> {
    match physical::choose(devices, None, |_| Ok(())) {
        Err(error) => Some(error.to_string()),
        Ok(device) => device.driver_fault(),
    }
}
