//! Limits that the user has set (`ulimit`) below what a Vulkan driver needs. Drivers check no allocation of their own:
//! within such limits they end the program without a word.

use crate::error::Result;
use ash::vk;

/// Fails if the process may have too little memory for the loader and a driver.
///
/// # Errors
/// [`Error::NoDevice`](crate::Error::NoDevice), with the limit and the least that is accepted.
#[cfg(target_os = "linux")]
pub fn check() -> Result<()> {
    use rustix::process::{Resource, getrlimit};
    // Mesa's software driver needs about 1,000 MiB of addresses and 130 MiB of data for a hundred boids.
    const LEAST: [(Resource, &str, u64); 2] =
        [(Resource::As, "address space (`ulimit -v`)", 1 << 30), (Resource::Data, "data (`ulimit -d`)", 256 << 20)];
    for (resource, what, least) in LEAST {
        let limit = getrlimit(resource).current.unwrap_or(u64::MAX);
        if limit < least {
            let (limit, least) = (limit >> 20, least >> 20);
            let text = format!("the limit of {what} is {limit} MiB; a Vulkan driver needs at least {least} MiB");
            return Err(crate::Error::NoDevice(text));
        }
    }
    Ok(())
}

/// Bytes of the largest file that the process may make.
#[cfg(target_os = "linux")]
pub fn largest_file() -> u64 {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// As on Linux; elsewhere no driver was seen to keep memory in files.
#[cfg(not(target_os = "linux"))]
pub fn largest_file() -> u64 {
    u64::MAX
}

/// What a driver lacks where a file may have `largest` bytes, and how much memory a device of it then has at most.
/// Software drivers keep memory in files without names: lavapipe that of the device, SwiftShader its compiled kernels.
/// Where such a file cannot grow, the first access ends the program (SIGBUS).
pub fn memory_in_file(driver: vk::DriverId, largest: u64) -> (Option<String>, u64) {
    // For a hundred boids lavapipe needs more than 64 MiB and at most 128, SwiftShader at most 1.
    const RESERVED: u64 = 192 << 20;
    let (least, memory) = match driver {
        vk::DriverId::MESA_LLVMPIPE => (256 << 20, largest.saturating_sub(RESERVED)),
        vk::DriverId::GOOGLE_SWIFTSHADER => (16 << 20, u64::MAX),
        _ => (0, u64::MAX),
    };
    let lacks = || {
        let (limit, least) = (largest >> 20, least >> 20);
        format!("a file of at least {least} MiB for its memory: the limit of a file (`ulimit -f`) is {limit} MiB")
    };
    ((largest < least).then(lacks), memory)
}

/// As on Linux; elsewhere drivers were not seen to end the program.
#[cfg(not(target_os = "linux"))]
pub fn check() -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_driver_that_keeps_memory_in_a_file_is_limited_by_one() {
        let (mesa, other) = (vk::DriverId::MESA_LLVMPIPE, vk::DriverId::NVIDIA_PROPRIETARY);
        assert_eq!(memory_in_file(other, 0), (None, u64::MAX));
        assert_eq!(memory_in_file(mesa, u64::MAX).0, None);
        assert_eq!(memory_in_file(mesa, 1 << 30), (None, 832 << 20));
        let (lacks, memory) = memory_in_file(mesa, 25_600);
        assert!(memory == 0 && lacks.is_some_and(|lacks| lacks.contains("`ulimit -f`) is 0 MiB")));
    }
}
