//! Embedding in other programs: a device that the host program owns.

use super::device::Device;
use super::instance::Instance;
use super::physical;
use super::requirements::{Enabled, Requirements};
use crate::error::{Error, Result};
use ash::{ext, vk};
use gpu_allocator::AllocationSizes;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Handles of a host program, and what it has enabled.
#[derive(Clone, Copy)]
pub struct HostDevice<'a> {
    /// The loader.
    pub entry: &'a ash::Entry,
    /// The instance.
    pub instance: &'a ash::Instance,
    /// The physical device, of this instance.
    pub physical_device: vk::PhysicalDevice,
    /// The device, created from this physical device.
    pub device: &'a ash::Device,
    /// The family of the queue.
    pub queue_family: u32,
    /// The queue, of this device and family, that the steps are submitted to.
    pub queue: vk::Queue,
    /// What the instance and the device were created with.
    pub enabled: Enabled<'a>,
}

/// Options for adopting a host's device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptOptions {
    /// Bytes of the first and of the largest block of device memory that is allocated. Each block is twice as large as
    /// the one before it; a buffer that is larger than a block gets memory of its own. Multiples of 4 MiB from 4 MiB to
    /// 256 MiB.
    pub device_blocks: RangeInclusive<u64>,
    /// The same for memory that the host can access: parameters, staging buffers and results.
    pub host_blocks: RangeInclusive<u64>,
    /// Usage flags that the buffers of a flock's state get besides `STORAGE_BUFFER`, `TRANSFER_SRC` and `TRANSFER_DST`:
    /// such as `VERTEX_BUFFER`, for a host that draws boids as instances.
    pub state_usage: vk::BufferUsageFlags,
}

impl Default for AdoptOptions {
    fn default() -> Self {
        let (least, usual) = (4 << 20, 64 << 20);
        AdoptOptions {
            device_blocks: least..=4 * usual,
            host_blocks: least..=usual,
            state_usage: vk::BufferUsageFlags::empty(),
        }
    }
}

impl AdoptOptions {
    fn sizes(&self) -> AllocationSizes {
        AllocationSizes::new(*self.device_blocks.start(), *self.host_blocks.start())
            .with_max_device_memblock_size(*self.device_blocks.end())
            .with_max_host_memblock_size(*self.host_blocks.end())
    }
}

impl Device {
    /// Uses a host's device, which the host still owns: it is not destroyed here, and this call submits nothing.
    /// Optional features beyond [`Requirements::for_steps`] are used if enabled. Drawing needs all of
    /// [`Requirements::for_pictures`], and otherwise fails with the names of what is missing.
    ///
    /// Of the functions that a host with its own command buffers needs, only these submit to the queue or wait for it:
    /// * of [`Flock`](crate::flock::Flock): `new`, `many`, `starting_from`, `reset`, `start_from`, `resume`,
    ///   `set_state`, `set_state_at`, `state`, `states`, `boid`, `positions`, `velocities`, `behaviors`, `adjust`,
    //    `go_on`,
    ///   `set_movement_weights`, `crowding`, `start_observing` and `show_neighborhoods`;
    /// * of [`Scene`](crate::render::Scene): `new`, `with_look`, `again` and `set_look`;
    /// * of [`Buffer`](super::Buffer): `with_data`, `upload`, `upload_with`, `download`, `download_with` and
    ///   `download_at`;
    /// * of the device: `run_once` and `wait_idle`.
    ///
    /// Types with their own frame slots submit too, such as [`Simulation`](crate::simulation::Simulation).
    ///
    /// Buffers and images made from the device belong to one queue family at a time (`VK_SHARING_MODE_EXCLUSIVE`),
    /// which is that of the adopted queue. A host that accesses them on a queue of another family must transfer them
    /// there, and back before the next steps.
    ///
    /// # Errors
    /// [`Error::Lacks`] with the names of what the device lacks or the host has not enabled; [`Error::Allocation`] or
    /// [`Error::Vulkan`] when the device is out of memory.
    ///
    /// # Safety
    /// * The handles are valid and belong together as [`HostDevice`] says, and all that `enabled` names was enabled.
    /// * Loader, instance and device stay alive until the returned device and everything created from it are dropped.
    /// * While one of the functions listed above runs, no other thread uses the queue.
    /// * Objects created from the device, such as a flock, are dropped only after the device has finished all commands
    ///   that use them: dropping does not wait for what the host submitted.
    pub unsafe fn adopt(host: &HostDevice<'_>) -> Result<Arc<Device>> {
        // SAFETY: by this function's contract.
        unsafe { Self::adopt_with(host, &AdoptOptions::default()) }
    }

    /// As [`Device::adopt`], with options.
    ///
    /// # Errors
    /// As [`Device::adopt`].
    ///
    /// # Safety
    /// As [`Device::adopt`]. The device supports `options.state_usage` for storage buffers.
    pub unsafe fn adopt_with(host: &HostDevice<'_>, options: &AdoptOptions) -> Result<Arc<Device>> {
        let (steps, pictures) = (Requirements::for_steps(), Requirements::for_pictures());
        let (enabled, physical) = (&host.enabled, host.physical_device);
        let lacks = |missing: Vec<String>| {
            // SAFETY: by this function's contract.
            let properties = unsafe { host.instance.get_physical_device_properties(physical) };
            let name = properties.device_name_as_c_str().map_or("the device".into(), |name| name.to_string_lossy());
            Error::Lacks { device: name.into_owned(), missing }
        };
        // First, because without Vulkan 1.3 on the instance the functions to query the rest do not exist.
        let not_enabled = steps.not_enabled(enabled);
        if !not_enabled.is_empty() {
            return Err(lacks(not_enabled));
        }
        // SAFETY: by this function's contract.
        let families = unsafe { host.instance.get_physical_device_queue_family_properties(physical) };
        let family = families.get(host.queue_family as usize).copied().unwrap_or_default();
        let missing = |needed: &Requirements| {
            // SAFETY: by this function's contract.
            let mut missing = unsafe { needed.missing(host.instance, physical) }?;
            if !family.queue_flags.contains(needed.queue) {
                missing.push(format!("{} on queue family {}", needed.work(), host.queue_family));
            }
            Ok::<_, Error>(missing)
        };
        let missing_for_steps = missing(&steps)?;
        if !missing_for_steps.is_empty() {
            return Err(lacks(missing_for_steps));
        }
        let debug_utils = enabled.instance_extensions.contains(&ext::debug_utils::NAME);
        let instance = Arc::new(Instance::bare(host.entry.clone(), host.instance.clone(), debug_utils));
        // SAFETY: by this function's contract.
        let all = unsafe { host.instance.enumerate_physical_devices() }
            .map_err(Error::vulkan("vkEnumeratePhysicalDevices", "instance"))?;
        let index = all.iter().position(|other| *other == physical).unwrap_or_default();
        let mut info = physical::describe(&instance.raw, index, physical)?;
        info.missing = Vec::new();
        info.queue_family = Some(host.queue_family);
        info.device_addresses = enabled.features.device_addresses();
        info.wide_atomics = enabled.features.wide_atomics();
        info.pipeline_robustness = enabled.features.pipeline_robustness.pipeline_robustness == vk::TRUE;
        // Queries are reset from the host (the CPU), or not used.
        let timed = enabled.features.v12.host_query_reset == vk::TRUE;
        info.timestamp_bits = if timed { family.timestamp_valid_bits } else { 0 };
        let mut device = Device::of_handles(
            &instance,
            info,
            host.device.clone(),
            (host.queue_family, host.queue),
            (None, options.sizes()),
        )?;
        device.state_usage = options.state_usage;
        device.lacks_for_pictures = pictures.not_enabled(enabled);
        device.lacks_for_pictures.extend(missing(&pictures)?);
        Ok(Arc::new(device))
    }
}
