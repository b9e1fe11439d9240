//! What the program needs of the machine around it: asked before a library is that would panic or wait without end, and
//! told by `starlings doctor`.

#[cfg(all(unix, not(target_os = "macos")))]
pub mod display;
pub mod drivers;
pub mod packages;

use crate::{Error, Result};
use starlings::vk::{Device, Fault};

/// Fails if all that a device did was watched, and something was wrong.
pub fn watched(device: &Device) -> Result<()> {
    device.verdict()?;
    let Some(planted) = device.watch().planted() else { return Ok(()) };
    let seen = device.watch().seen();
    tracing::info!("watched: {seen}");
    match planted {
        [Fault::Omit(name)] if !seen.omitted => Err(Error::flag("watch", name, "a dependency that is recorded")),
        [Fault::Omit(name)] => {
            tracing::warn!("{name} was left out, and nothing that was submitted needed it");
            Ok(())
        }
        _ => Ok(()),
    }
}
