//! The extension that has fences for presentations: see `present_fences`.

use super::requirements::{extensions, has};
use crate::error::Result;
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// The names of the extension for instances and of the one for devices.
const NAMES: [(&CStr, &CStr); 2] = [
    (c"VK_KHR_surface_maintenance1", c"VK_KHR_swapchain_maintenance1"),
    (ext::surface_maintenance1::NAME, ext::swapchain_maintenance1::NAME),
];

/// What an instance needs for them, as far as it is available.
pub(super) fn of_instance(available: impl Fn(&CStr) -> bool) -> Vec<&'static CStr> {
    let offered = NAMES.iter().map(|(instance, _)| *instance).filter(|name| available(name));
    match khr::get_surface_capabilities2::NAME {
        needed if available(needed) => std::iter::once(needed).chain(offered).collect(),
        _ => Vec::new(),
    }
}

/// The extension of `physical` that has them, if one of the instance's has.
///
/// # Safety
/// `physical` is of `instance`, which is alive, was created with the extensions `enabled`, and has Vulkan 1.1.
pub(super) unsafe fn of_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    enabled: &[&CStr],
) -> Result<Option<&'static CStr>> {
    // SAFETY: by this function's contract.
    let offered = unsafe { extensions(instance, physical) }?;
    let both = |names: &&(&CStr, &'static CStr)| enabled.contains(&names.0) && has(&offered, names.1);
    let Some((_, name)) = NAMES.iter().find(both) else { return Ok(None) };
    let mut feature = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut feature);
    // SAFETY: by this function's contract; the structures live until the call returns.
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    Ok((feature.swapchain_maintenance1 == vk::TRUE).then_some(*name))
}
