//! Limits that the user has set (`ulimit`) below what a Vulkan driver needs. Drivers check no allocation of their own: within such limits
//! they end the program without a word.

use crate::error::Result;

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

/// As on Linux; elsewhere drivers were not seen to end the program.
#[cfg(not(target_os = "linux"))]
pub fn check() -> Result<()> {
    Ok(())
}
