//! The images of a window and their presentation.

use super::device::Device;
use super::image::{Format, create_view};
use super::owned::Owned;
use super::present_fences::PresentFences;
use super::surface::Surface;
use super::timeline;
use crate::error::Result;
use ash::vk::Handle as _;
use ash::{khr, vk};
use barrier_proof::{HostEvent, ImageRef, Resource};
use std::sync::Arc;
use std::time::Duration;

/// The name of all images of a swapchain: each frame has one of them.
pub const SWAPCHAIN_IMAGE: Resource = Resource::new("swapchain_image");

/// How long to wait for an image. Much longer than a display's refresh period, but short enough that a hidden window
/// can close.
pub const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(250);

/// The result of acquiring an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// An image to draw to.
    Image {
        /// Its index.
        index: u32,
        /// The image can be shown, but the window has changed: recreate the swapchain after this frame.
        suboptimal: bool,
    },
    /// No image was available for [`ACQUIRE_TIMEOUT`], as on some systems while the window is hidden.
    NotYet,
    /// The window has changed: recreate the swapchain. Nothing was acquired.
    OutOfDate,
}

/// The result of presenting an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// It will be displayed.
    Shown,
    /// It will be displayed, but the window has changed: recreate the swapchain.
    Suboptimal,
    /// The window has changed: recreate the swapchain.
    OutOfDate,
}

/// The images of a window. A semaphore per image signals that it is drawn, and is reused only after the image was
/// acquired again. Where the device has fences for presentations, one per image tells when the swapchain can be
/// destroyed.
pub struct Swapchain {
    raw: vk::SwapchainKHR,
    functions: khr::swapchain::Device,
    images: Vec<vk::Image>,
    views: Vec<Owned<vk::ImageView>>,
    drawn: Vec<Owned<vk::Semaphore>>,
    presented: PresentFences,
    format: Format,
    width: u32,
    height: u32,
    device: Arc<Device>,
}

impl Swapchain {
    /// Makes a swapchain for `surface` of `wanted` pixels, unless the window system decides the size. None if the
    /// window has no area, for example if it is minimized. `old` is replaced; the caller has waited for the device.
    pub fn new(
        device: &Arc<Device>,
        surface: &Surface,
        wanted: (u32, u32),
        vsync: bool,
        old: Option<Swapchain>,
    ) -> Result<Option<Self>> {
        let physical = device.info.raw;
        let failed = |operation| device.failed(operation, "window");
        // SAFETY: device and surface belong to one instance and are alive.
        let (capabilities, formats, modes) = unsafe {
            let functions = &surface.functions;
            (
                functions
                    .get_physical_device_surface_capabilities(physical, surface.raw)
                    .map_err(failed("vkGetPhysicalDeviceSurfaceCapabilitiesKHR"))?,
                functions
                    .get_physical_device_surface_formats(physical, surface.raw)
                    .map_err(failed("vkGetPhysicalDeviceSurfaceFormatsKHR"))?,
                functions
                    .get_physical_device_surface_present_modes(physical, surface.raw)
                    .map_err(failed("vkGetPhysicalDeviceSurfacePresentModesKHR"))?,
            )
        };
        let (width, height) = extent(&capabilities, wanted);
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let format = pick_format(&formats);
        // MAILBOX does not tear and does not wait; FIFO is the only mode that Vulkan guarantees.
        let mode = match vsync {
            false if modes.contains(&vk::PresentModeKHR::MAILBOX) => vk::PresentModeKHR::MAILBOX,
            false if modes.contains(&vk::PresentModeKHR::IMMEDIATE) => vk::PresentModeKHR::IMMEDIATE,
            _ => vk::PresentModeKHR::FIFO,
        };
        let most = if capabilities.max_image_count == 0 { u32::MAX } else { capabilities.max_image_count };
        let alpha = [vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::INHERIT]
            .into_iter()
            .find(|&alpha| capabilities.supported_composite_alpha.contains(alpha))
            .unwrap_or(vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED);
        let create = vk::SwapchainCreateInfoKHR::default()
            .surface(surface.raw)
            .min_image_count((capabilities.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(vk::Extent2D { width, height })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(alpha)
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |old| old.raw));
        let functions = khr::swapchain::Device::new(&device.instance.raw, &device.raw);
        // SAFETY: the surface is alive; the old swapchain, if any, is retired by this call and dropped after it.
        let raw = unsafe { functions.create_swapchain(&create, None) }.map_err(failed("vkCreateSwapchainKHR"))?;
        drop(old);
        // From here on, `drop` releases what exists.
        let mut swapchain = Swapchain {
            raw,
            functions,
            images: Vec::new(),
            views: Vec::new(),
            drawn: Vec::new(),
            presented: PresentFences::default(),
            format: format.format,
            width,
            height,
            device: device.clone(),
        };
        device.name(raw, "swapchain");
        // SAFETY: the swapchain was just made.
        swapchain.images =
            unsafe { swapchain.functions.get_swapchain_images(raw) }.map_err(failed("vkGetSwapchainImagesKHR"))?;
        for (index, &image) in swapchain.images.iter().enumerate() {
            let name = format!("swapchain image {index}");
            device.name(image, &name);
            swapchain.views.push(create_view(device, image, format.format, &name)?);
            swapchain.drawn.push(device.semaphore(&format!("{name} drawn"))?);
        }
        swapchain.presented = PresentFences::new(device, swapchain.images.len())?;
        Ok(Some(swapchain))
    }

    /// The format that its images would have.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the surface is lost.
    pub fn format_for(device: &Arc<Device>, surface: &Surface) -> Result<Format> {
        // SAFETY: device and surface belong to one instance and are alive.
        let formats = unsafe { surface.functions.get_physical_device_surface_formats(device.info.raw, surface.raw) };
        Ok(pick_format(&formats.map_err(device.failed("vkGetPhysicalDeviceSurfaceFormatsKHR", "window"))?).format)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Count of its images.
    pub fn image_count(&self) -> u32 {
        self.images.len() as u32
    }

    /// Format of its images.
    pub fn format(&self) -> Format {
        self.format
    }

    /// One of its images, for a barrier or an attachment.
    pub fn image(&self, index: u32) -> ImageRef {
        ImageRef::color(self.images[index as usize], *self.views[index as usize], SWAPCHAIN_IMAGE)
    }

    #[cfg(test)]
    pub(super) fn presented(&self) -> &PresentFences {
        &self.presented
    }

    pub(super) fn present_semaphore(&self, index: u32) -> vk::Semaphore {
        *self.drawn[index as usize]
    }

    pub(super) fn acquire(&self, signal: vk::Semaphore) -> Result<Acquired> {
        let timeout = ACQUIRE_TIMEOUT.as_nanos() as u64;
        // SAFETY: the semaphore is unsignaled: the frame that last waited on it has finished.
        match unsafe { self.functions.acquire_next_image(self.raw, timeout, signal, vk::Fence::null()) } {
            Ok((index, suboptimal)) => {
                self.device.watch.note(|| HostEvent::Acquire { image: index, semaphore: signal.as_raw() });
                Ok(Acquired::Image { index, suboptimal })
            }
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => Ok(Acquired::NotYet),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(Acquired::OutOfDate),
            Err(result) => Err(self.device.failed("vkAcquireNextImageKHR", "swapchain")(result)),
        }
    }

    /// Presents image `index` once it is drawn.
    pub fn present(&self, index: u32) -> Result<Presented> {
        let _presenting = tracing::trace_span!(target: timeline::TARGET, "present").entered();
        let (wait, swapchains, images) = ([self.present_semaphore(index)], [self.raw], [index]);
        let fences: Vec<vk::Fence> = self.presented.next(&self.device, index)?.into_iter().collect();
        let mut fence = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
        let mut info =
            vk::PresentInfoKHR::default().wait_semaphores(&wait).swapchains(&swapchains).image_indices(&images);
        if !fences.is_empty() {
            info = info.push_next(&mut fence);
        }
        self.device.watch.note(|| HostEvent::Present { image: index, semaphore: wait[0].as_raw() });
        let queue = self.device.queue();
        // SAFETY: the image was acquired and its semaphore is signaled by a submission; the lock guards the queue.
        let presented = unsafe { self.functions.queue_present(*queue, &info) };
        // One that is rejected because the window has changed still signals its fence.
        self.presented.queued(index, matches!(presented, Ok(_) | Err(vk::Result::ERROR_OUT_OF_DATE_KHR)));
        match presented {
            Ok(false) => Ok(Presented::Shown),
            Ok(true) => Ok(Presented::Suboptimal),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(Presented::OutOfDate),
            Err(result) => Err(self.device.failed("vkQueuePresentKHR", "swapchain")(result)),
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        // Submissions have ended when the queue is idle; presentations when their fences are signaled. Without these
        // the specification has nothing to wait for: what idleness says of submissions is what programs then rely on
        // for presentations too, and drivers know it.
        let _ = self.device.wait_idle();
        self.presented.wait(&self.device);
        self.views.clear();
        self.drawn.clear();
        // SAFETY: made from this device, which is done with it, or lost; the views of its images are gone.
        unsafe { self.functions.destroy_swapchain(self.raw, None) };
    }
}

fn extent(capabilities: &vk::SurfaceCapabilitiesKHR, wanted: (u32, u32)) -> (u32, u32) {
    let current = capabilities.current_extent;
    if current.width != u32::MAX {
        return (current.width, current.height);
    }
    let (least, most) = (capabilities.min_image_extent, capabilities.max_image_extent);
    if wanted.0 == 0 || wanted.1 == 0 {
        return (0, 0);
    }
    (wanted.0.clamp(least.width, most.width), wanted.1.clamp(least.height, most.height))
}

fn pick_format(formats: &[vk::SurfaceFormatKHR]) -> vk::SurfaceFormatKHR {
    let wanted = [Format::B8G8R8A8_SRGB, Format::R8G8B8A8_SRGB];
    let srgb = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    formats
        .iter()
        .copied()
        .find(|f| wanted.contains(&f.format) && f.color_space == srgb)
        .or_else(|| formats.first().copied())
        .unwrap_or(vk::SurfaceFormatKHR { format: wanted[0], color_space: srgb })
}
