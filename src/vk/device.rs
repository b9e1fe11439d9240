//! The logical device with its one queue, its allocator, its pipeline cache and the names of objects.

use super::instance::Instance;
use super::layouts::Layouts;
use super::physical::{self, DeviceInfo};
use super::pipeline_cache::PipelineCache;
use super::recorder::Recorder;
use super::submit::{FrameSlots, SubmitInfo};
use super::surface::Surface;
use super::timeline::{self, DeviceClock};
use crate::error::{Error, Result};
use ash::{ext, khr, vk};
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use std::ffi::{CStr, CString};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How to open a [`Device`].
#[derive(Clone, Copy, Default)]
pub struct DeviceOptions<'a> {
    /// An index, a UUID or part of a name; none for the best device.
    pub wanted: Option<&'a str>,
    /// The window it has to draw to.
    pub surface: Option<&'a Surface>,
    /// Bounds every buffer access of a shader (`robustBufferAccess`, and `robustBufferAccess2` where there is one)
    /// and every loop whose length is read from a buffer. For frames that are broken on purpose: it costs time.
    pub robust: bool,
    /// Gives kernels with atomics a store that is never executed. Synchronization validation takes an atomic for a read;
    /// with the store it sees that the kernel writes.
    pub witness: bool,
    /// Has every flock whose search can do so find its arrays by address, however short they are. For tests of that.
    pub wide: bool,
}

/// A device in use.
pub struct Device {
    pub(super) raw: ash::Device,
    robust: bool,
    pub(super) witness: bool,
    wide: bool,
    pub(super) info: DeviceInfo,
    pub(super) queue_family: u32,
    pub(super) debug: Option<ext::debug_utils::Device>,
    queue: Mutex<vk::Queue>,
    /// Compared with the host's, where a trace is wanted.
    pub(super) clock: OnceLock<DeviceClock>,
    submissions: AtomicU64,
    // Dropped by hand: it must free its memory before the device goes.
    allocator: ManuallyDrop<Arc<Mutex<Allocator>>>,
    pub(super) pipeline_cache: ManuallyDrop<PipelineCache>,
    pub(super) layouts: Layouts,
    pub(super) instance: Arc<Instance>,
}

impl Device {
    /// Opens the device that `wanted` (an index, a UUID or part of a name) asks for, or the best one.
    ///
    /// # Errors
    /// [`Error::NoDevice`] naming what is missing; [`Error::Setting`] when `wanted` fits none.
    pub fn new(instance: &Arc<Instance>, wanted: Option<&str>, surface: Option<&Surface>) -> Result<Arc<Self>> {
        Self::with_options(instance, &DeviceOptions { wanted, surface, ..DeviceOptions::default() })
    }

    /// Opens the device that `options` ask for.
    ///
    /// # Errors
    /// As [`Device::new`].
    pub fn with_options(instance: &Arc<Instance>, options: &DeviceOptions<'_>) -> Result<Arc<Self>> {
        let DeviceOptions { wanted, surface, robust, witness, wide } = *options;
        let mut info = physical::choose(instance, wanted, surface)?;
        info.device_addresses &= !robust;
        let queue_family = info.queue_family.ok_or_else(|| Error::NoDevice(format!("{} has no queue", info.name)))?;
        let mut features = physical::required_features();
        features.v12 = features.v12.buffer_device_address(info.device_addresses);
        let mut features2 = vk::PhysicalDeviceFeatures2::default()
            // Every Vulkan device has the first, and those that are said to have addresses the second.
            .features(features.core.robust_buffer_access(robust).shader_int64(info.device_addresses))
            .push_next(&mut features.v12)
            .push_next(&mut features.v13);
        let mut extensions = Vec::new();
        if surface.is_some() {
            extensions.push(khr::swapchain::NAME.as_ptr());
        }
        if info.portability_subset {
            extensions.push(khr::portability_subset::NAME.as_ptr());
        }
        let mut robustness2 = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
        if robust && info.robustness2 {
            extensions.push(ext::robustness2::NAME.as_ptr());
            features2 = features2.push_next(&mut robustness2);
        }
        let calibrated = info.calibrated_timestamps.filter(|_| timeline::wanted());
        extensions.extend(calibrated.map(CStr::as_ptr));
        let mut pipeline_robustness =
            vk::PhysicalDevicePipelineRobustnessFeaturesEXT::default().pipeline_robustness(true);
        if info.pipeline_robustness {
            extensions.push(ext::pipeline_robustness::NAME.as_ptr());
            features2 = features2.push_next(&mut pipeline_robustness);
        }
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features2);
        // SAFETY: the device comes from this instance, and `choose` checked that it has these features.
        let raw = unsafe { instance.raw.create_device(info.raw, &create, None) }.map_err(|result| Error::Vulkan {
            operation: "vkCreateDevice",
            object: info.name.clone(),
            result,
        })?;
        // SAFETY: the queue was asked for above.
        let queue = unsafe { raw.get_device_queue(queue_family, 0) };
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: info.raw,
            debug_settings: Default::default(),
            buffer_device_address: info.device_addresses,
            allocation_sizes: Default::default(),
        });
        let allocator = match allocator {
            Ok(allocator) => allocator,
            Err(e) => {
                // SAFETY: nothing was made from the device yet.
                unsafe { raw.destroy_device(None) };
                return Err(Error::Allocation { object: info.name, reason: e.to_string() });
            }
        };
        let debug = instance.has_debug_utils().then(|| ext::debug_utils::Device::new(&instance.raw, &raw));
        // RenderDoc stands in for the driver, so what it stores is of no use to a run without it.
        let pipeline_cache = PipelineCache::open(&raw, &info, instance.capture().is_none());
        let device = Device {
            queue_family,
            debug,
            queue: Mutex::new(queue),
            allocator: ManuallyDrop::new(Arc::new(Mutex::new(allocator))),
            pipeline_cache: ManuallyDrop::new(pipeline_cache),
            layouts: Layouts::default(),
            instance: instance.clone(),
            clock: OnceLock::new(),
            submissions: AtomicU64::new(0),
            info,
            raw,
            robust,
            witness,
            wide,
        };
        device.name(queue, "queue");
        device.name(device.pipeline_cache.raw, "pipeline cache");
        let device = Arc::new(device);
        if timeline::wanted() && device.info.timestamp_bits > 0 {
            let clock = DeviceClock::new(&device, calibrated)?;
            let _ = device.clock.set(clock);
        }
        Ok(device)
    }

    /// What is known of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether it was opened for frames that are broken on purpose.
    pub fn is_robust(&self) -> bool {
        self.robust
    }

    /// Whether it was opened for flocks that find their arrays by address.
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// The instance the device belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Waits until the device has finished everything submitted so far.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is lost.
    pub fn wait_idle(&self) -> Result<()> {
        let _queue = self.queue();
        // SAFETY: the lock above keeps every other thread from the queue meanwhile.
        unsafe { self.raw.device_wait_idle() }.map_err(|r| self.error("vkDeviceWaitIdle", "device", r))
    }

    /// Records commands with `record`, submits them and waits until they are done.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when recording or the submission fails.
    pub fn run_once(self: &Arc<Self>, name: &str, record: impl FnOnce(&mut Recorder<'_>)) -> Result<()> {
        let mut slots = FrameSlots::new(self, name, 1, false)?;
        let slot = slots.next()?;
        let mut recorder = slot.begin()?;
        record(&mut recorder);
        recorder.finish()?;
        slot.submit(&SubmitInfo::default())?;
        slots.wait_all()
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, vk::Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no submission had before.
    pub(super) fn next_submission(&self) -> u64 {
        self.submissions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The allocator of every buffer and image of ours.
    pub(super) fn allocator(&self) -> &Arc<Mutex<Allocator>> {
        &self.allocator
    }

    /// Gives a Vulkan object the name that profilers and validation messages show.
    pub(super) fn name<T: vk::Handle + Copy>(&self, handle: T, name: &str) {
        let (Some(debug), Ok(name), false) = (&self.debug, CString::new(name), handle.as_raw() == 0) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // SAFETY: the handle belongs to this device. A name that cannot be set is no reason to fail.
        let _ = unsafe { debug.set_debug_utils_object_name(&info) };
    }

    /// Names the block of memory that an allocation at `location` was given a part of.
    pub(super) fn name_memory(&self, memory: vk::DeviceMemory, location: MemoryLocation) {
        let name = match location {
            MemoryLocation::GpuOnly => "device memory",
            MemoryLocation::CpuToGpu => "upload memory",
            MemoryLocation::GpuToCpu => "readback memory",
            MemoryLocation::Unknown => "memory",
        };
        self.name(memory, name);
    }

    pub(super) fn error(&self, operation: &'static str, object: &str, result: vk::Result) -> Error {
        Error::Vulkan { operation, object: object.to_owned(), result }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: every object made from the device held an Arc of it, so all are gone and their work was
        // waited for by their owners. Layouts, cache and allocator go before the device they belong to, each once.
        unsafe {
            let _ = self.raw.device_wait_idle();
            self.layouts.destroy(&self.raw);
            self.pipeline_cache.save_and_destroy(&self.raw);
            ManuallyDrop::drop(&mut self.pipeline_cache);
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_device(None);
        }
    }
}
