//! Fences that tell the host when a presentation no longer needs its semaphore and its image's resources.
//!
//! Since 2025 an idle queue tells it too (specification, "Wait Idle Operations", and "WSI Swapchain",
//! `vkQueuePresentKHR`). By older texts, it says only that submissions are done, not presentations. The fences need
//! `VK_EXT_swapchain_maintenance1`, or `VK_KHR_swapchain_maintenance1` with the same structures.

use super::device::Device;
use super::owned::Owned;
use crate::error::{Error, Result};
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long to wait for a presentation before its swapchain is destroyed nevertheless: a display that was lost may
/// never end it.
const PATIENCE: u64 = 1_000_000_000;

/// A fence for each image of a swapchain, and whether its signal was requested and not waited for.
#[derive(Default)]
pub(super) struct PresentFences(Vec<(Owned<vk::Fence>, AtomicBool)>);

impl PresentFences {
    /// Makes them for `images` images; none on a device without the extension.
    pub fn new(device: &Arc<Device>, images: usize) -> Result<PresentFences> {
        let images = if device.present_fences { images } else { 0 };
        let made = (0..images).map(|image| {
            // SAFETY: the device is alive.
            let fence = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) };
            let name = format!("swapchain image {image} presented");
            let fence = device.owned("vkCreateFence", &name, fence, ash::Device::destroy_fence)?;
            Ok((fence, AtomicBool::new(false)))
        });
        Ok(PresentFences(made.collect::<Result<_>>()?))
    }

    /// The fence for the next presentation of an image, which was acquired again since the last.
    pub fn next(&self, device: &Device, image: u32) -> Result<Option<vk::Fence>> {
        let Some((fence, pending)) = self.0.get(image as usize) else { return Ok(None) };
        if pending.load(Ordering::Relaxed) {
            device.wait(**fence, "swapchain")?;
            // SAFETY: the fence belongs to this device, and no presentation uses it any more.
            let reset = unsafe { device.raw.reset_fences(&[**fence]) };
            reset.map_err(Error::vulkan("vkResetFences", "swapchain"))?;
            pending.store(false, Ordering::Relaxed);
        }
        Ok(Some(**fence))
    }

    /// Notes whether a presentation of an image was queued, which signals its fence.
    pub fn queued(&self, image: u32, queued: bool) {
        if let Some((_, pending)) = self.0.get(image as usize) {
            pending.store(queued, Ordering::Relaxed);
        }
    }

    /// Waits until all presentations are done.
    pub fn wait(&self, device: &Device) {
        let pending = self.0.iter().filter(|(_, pending)| pending.load(Ordering::Relaxed));
        let fences: Vec<vk::Fence> = pending.map(|(fence, _)| **fence).collect();
        if !fences.is_empty() {
            // SAFETY: the fences belong to this device and were passed to presentations.
            let _ = unsafe { device.raw.wait_for_fences(&fences, true, PATIENCE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::DeviceOptions;
    use super::super::instance::{Instance, InstanceOptions};
    use super::super::submit::FrameSlots;
    use super::super::surface::Surface;
    use super::super::swapchain::{Acquired, Swapchain};
    use super::super::{RecordOptions, Stage};
    use super::*;
    use barrier_proof::image_barrier;

    #[test]
    fn each_presentation_signals_its_fence_before_the_swapchain_goes() {
        let skipped = |why: &str| {
            assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "REQUIRE_GPU=1, but {why}");
            eprintln!("SKIPPED, nothing was tested: {why}");
        };
        let Ok(instance) = Instance::new(&InstanceOptions::default()) else { return skipped("no Vulkan") };
        let Ok(Some(surface)) = Surface::headless(&instance) else { return skipped("no surface without a window") };
        let options = DeviceOptions { surface: Some(&surface), ..DeviceOptions::default() };
        let device = Device::with_options(&instance, &options).expect("it opens");
        if !device.present_fences {
            return eprintln!("SKIPPED, nothing was tested: {} has no fences for presentations", device.info().name);
        }
        let swapchain = Swapchain::new(&device, &surface, (16, 16), false, None).expect("it is made").expect("an area");
        let mut slots = FrameSlots::new(&device, "test", 2, false).expect("they are made");
        for _ in 0..9 {
            let slot = slots.next().expect("the device lives");
            let Acquired::Image { index, .. } = slot.acquire(&swapchain).expect("the device lives") else { continue };
            let mut rec = slot.begin(RecordOptions::default()).expect("it begins");
            image_barrier!(rec, "acquire-to-present", [], swapchain.image(index),
                (COPY, NONE, UNDEFINED) => (COPY, NONE, PRESENT_SRC_KHR), "For a test.");
            rec.finish().expect("it ends");
            slot.submit(Some((&swapchain, index, Stage::COPY))).expect("the device lives");
            swapchain.present(index).expect("the device lives");
        }
        let presented = swapchain.presented();
        assert!(presented.0.iter().any(|(_, pending)| pending.load(Ordering::Relaxed)), "no fence was passed");
        presented.wait(&device);
        for (fence, pending) in &presented.0 {
            // SAFETY: the fence belongs to this device.
            let signaled = unsafe { device.raw.get_fence_status(**fence) };
            assert_eq!(signaled, Ok(pending.load(Ordering::Relaxed)), "signaled if it was passed");
        }
    }
}
