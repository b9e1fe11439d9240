//! Surfaces of windows for Vulkan.

use super::instance::Instance;
use super::physical::DeviceInfo;
use crate::error::{Error, Result};
use ash::{ext, khr, vk};
#[cfg(feature = "window")]
use raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use std::any::Any;
use std::sync::Arc;

/// The surface of a window; or a headless one, with a swapchain but no window.
pub struct Surface {
    pub(super) raw: vk::SurfaceKHR,
    pub(super) functions: khr::surface::Instance,
    // Both must outlive the surface: `drop` destroys it before these fields are dropped.
    _window: Option<Arc<dyn Any>>,
    _instance: Arc<Instance>,
}

impl Surface {
    /// Makes a surface for a window, which it keeps alive.
    ///
    /// # Errors
    /// [`Error::Window`] when the instance was created without a display or the window system refuses.
    #[cfg(feature = "window")]
    pub fn new<W: HasDisplayHandle + HasWindowHandle + 'static>(
        instance: &Arc<Instance>,
        window: &Arc<W>,
    ) -> Result<Self> {
        let operation = "making a surface";
        let refused = |reason: String| Error::Window { operation, reason };
        let functions = instance
            .surface_functions
            .clone()
            .ok_or_else(|| refused("the instance was created for drawing without a window".into()))?;
        let display = window.display_handle().map_err(|e| refused(e.to_string()))?.as_raw();
        let handle = window.window_handle().map_err(|e| refused(e.to_string()))?.as_raw();
        // SAFETY: a window's handles are valid as long as the window, which the surface keeps alive; the instance
        // enabled the extensions for this kind of display, or the call fails.
        let raw = unsafe { ash_window::create_surface(&instance.entry, &instance.raw, display, handle, None) }
            .map_err(Error::vulkan(operation, "window"))?;
        Ok(Surface { raw, functions, _window: Some(window.clone()), _instance: instance.clone() })
    }

    /// Adds to `device.missing` what this surface needs and `device` lacks.
    pub(super) fn require_present(&self, device: &mut DeviceInfo) -> Result<()> {
        if !device.swapchain {
            device.missing.push("VK_KHR_swapchain".into());
        }
        if let Some(family) = device.queue_family {
            // SAFETY: device, family and surface belong to one instance.
            let presents = unsafe { self.functions.get_physical_device_surface_support(device.raw, family, self.raw) };
            if !presents.map_err(Error::vulkan("vkGetPhysicalDeviceSurfaceSupportKHR", "window"))? {
                device.missing.push("presentation to this window".into());
            }
        }
        Ok(())
    }

    /// Makes a headless surface, whose images are not shown. None if the driver does not support it, or if the instance
    /// was created for a display.
    pub fn headless(instance: &Arc<Instance>) -> Result<Option<Self>> {
        let (true, Some(functions)) = (instance.headless, instance.surface_functions.clone()) else { return Ok(None) };
        let headless = ext::headless_surface::Instance::new(&instance.entry, &instance.raw);
        // SAFETY: the instance is alive and enabled the extension.
        let raw = unsafe { headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) }
            .map_err(Error::vulkan("vkCreateHeadlessSurfaceEXT", "surface without a window"))?;
        Ok(Some(Surface { raw, functions, _window: None, _instance: instance.clone() }))
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        // SAFETY: the swapchain made from this surface is declared before it in every owner and gone.
        unsafe { self.functions.destroy_surface(self.raw, None) };
    }
}
