//! The logical device with its queue, its allocator, its pipeline cache and the names of objects.

use super::clock::DeviceClock;
use super::flights::Flights;
use super::instance::Instance;
use super::layouts::Layouts;
use super::physical::DeviceInfo;
use super::pipeline_cache::PipelineCache;
use super::surface::Surface;
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use ash::prelude::VkResult;
use ash::{ext, khr, vk};
use barrier_proof::{Fault, HostEvent, Watch, with_c_name};
use gpu_allocator::AllocationSizes;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Options for opening a [`Device`].
#[derive(Clone, Copy, Default)]
pub struct DeviceOptions<'a> {
    /// An index, a UUID or part of a name; `None` for the best device.
    pub wanted: Option<&'a str>,
    /// The window that it must present to.
    pub surface: Option<&'a Surface>,
    /// The folder of the pipeline cache, which is made if there is none: pipelines of an earlier run are not compiled
    /// again. Without one they are.
    pub pipeline_cache: Option<&'a Path>,
    /// Bounds the buffer accesses of shaders (`robustBufferAccess`, and `robustBufferAccess2` if available) and loops
    /// whose length is read from a buffer. For frames that are broken on purpose: it costs time.
    pub robust: bool,
    /// Gives kernels with atomics a store that is not executed. Synchronization validation treats an atomic as a read;
    /// the store shows it that the kernel writes.
    pub witness: bool,
    /// Makes flocks whose search supports it access arrays of any length by address. For tests.
    pub by_address: bool,
    /// Draws as on a device without 64-bit atomics. For tests.
    pub narrow: bool,
    /// Judges all that is recorded and submitted, and what the host does, as it happens: what is wrong ends in
    /// [`Error::Unsynchronized`], before it is submitted. Recordings with faults are not judged, but with these, which
    /// all recordings have: for tests.
    pub watch: Option<&'a [Fault]>,
    /// Makes the state of flocks in memory that other APIs on the same GPU can import, if the device can:
    /// [`Buffer::share`](super::Buffer::share).
    pub share: bool,
    /// Once this is requested, waits for the device fail with [`Error::Cancelled`].
    pub cancel: Option<&'a Cancel>,
}

/// A device in use, owned by this program or by a host program.
pub struct Device {
    pub(super) raw: ash::Device,
    /// Whether this program owns it: it destroys it, and is the only one to submit to it.
    own: bool,
    /// Names of what pictures need and the host has not enabled.
    pub(super) lacks_for_pictures: Vec<String>,
    robust: bool,
    witness: bool,
    /// Some if the driver can report why the device was lost.
    pub(super) fault_reports: Option<ext::device_fault::Device>,
    /// Whether a presentation can signal a fence.
    pub(super) present_fences: bool,
    /// Some if memory is [shared](DeviceOptions::share).
    pub(super) shares: Option<khr::external_memory_fd::Device>,
    by_address: bool,
    /// Further uses of the buffers that a host shares.
    pub(super) state_usage: vk::BufferUsageFlags,
    pub(super) info: DeviceInfo,
    pub(super) queue_family: u32,
    pub(super) debug: Option<ext::debug_utils::Device>,
    queue: Mutex<vk::Queue>,
    /// Set if a trace is requested.
    pub(super) clock: OnceLock<DeviceClock>,
    /// For the proof of the frame's synchronization.
    pub(super) watch: Watch,
    /// Count so far, for their numbers in a trace.
    pub(super) submissions: AtomicU64,
    pub(super) flights: Mutex<Flights>,
    pub(crate) cancel: Cancel,
    // Dropped explicitly: it must free its memory before the device is destroyed.
    allocator: ManuallyDrop<Mutex<Allocator>>,
    pub(super) pipeline_cache: PipelineCache,
    pub(super) layouts: Layouts,
    pub(super) instance: Arc<Instance>,
}

impl Device {
    /// A device from handles: one created with `own` options, or a host's.
    pub(super) fn of_handles(
        instance: &Arc<Instance>,
        info: DeviceInfo,
        raw: ash::Device,
        (queue_family, queue): (u32, vk::Queue),
        (own, allocation_sizes): (Option<&DeviceOptions<'_>>, AllocationSizes),
    ) -> Result<Device> {
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: info.raw,
            debug_settings: Default::default(),
            buffer_device_address: info.device_addresses,
            allocation_sizes,
        });
        let allocator = match allocator {
            Ok(allocator) => allocator,
            Err(e) => {
                if own.is_some() {
                    // SAFETY: nothing was made from the device yet.
                    unsafe { raw.destroy_device(None) };
                }
                return Err(Error::Allocation { object: info.name, reason: e.to_string() });
            }
        };
        let debug = instance.debug_utils.then(|| ext::debug_utils::Device::new(&instance.raw, &raw));
        let options = own.copied().unwrap_or_default();
        // Under RenderDoc, cache data is of no use to a run without it.
        let folder = options.pipeline_cache.filter(|_| instance.capture().is_none());
        let pipeline_cache = PipelineCache::open(&raw, &info, folder);
        let watch = Watch::default();
        if let Some(planted) = options.watch {
            watch.judge(planted);
        }
        let device = Device {
            queue_family,
            debug,
            queue: Mutex::new(queue),
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            pipeline_cache,
            layouts: Layouts::default(),
            instance: instance.clone(),
            clock: OnceLock::new(),
            submissions: AtomicU64::new(0),
            watch,
            flights: Mutex::default(),
            cancel: options.cancel.cloned().unwrap_or_default(),
            lacks_for_pictures: Vec::new(),
            own: own.is_some(),
            info,
            raw,
            robust: options.robust,
            witness: options.witness,
            fault_reports: None,
            present_fences: false,
            shares: None,
            by_address: options.by_address,
            state_usage: vk::BufferUsageFlags::empty(),
        };
        device.name(device.pipeline_cache.raw, "pipeline cache");
        Ok(device)
    }

    /// Properties of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether it was opened for frames that are broken on purpose.
    pub fn is_robust(&self) -> bool {
        self.robust
    }

    /// Whether it was opened for kernels with [witnesses](DeviceOptions::witness).
    pub fn has_witnesses(&self) -> bool {
        self.witness
    }

    /// Whether it was opened for flocks that access their arrays by address.
    pub fn is_by_address(&self) -> bool {
        self.by_address
    }

    /// Usage flags that a host wants for the buffers that it shares.
    pub fn state_usage(&self) -> vk::BufferUsageFlags {
        self.state_usage
    }

    /// What the host does with its objects, on request.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The instance the device belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Waits until the device has finished everything submitted so far to its queue.
    pub fn wait_idle(&self) -> Result<()> {
        let queue = self.queue();
        // SAFETY: the lock above keeps other threads of this program from the queue.
        unsafe { self.raw.queue_wait_idle(*queue) }.map_err(self.failed("vkQueueWaitIdle", "queue"))?;
        self.watch.note(|| HostEvent::Idle);
        Ok(())
    }

    /// Fails on a device that cannot draw.
    ///
    /// # Errors
    /// [`Error::Lacks`] naming what a host that needs only steps has not enabled.
    pub(super) fn require_pictures(&self) -> Result<()> {
        match self.lacks_for_pictures.is_empty() {
            true => Ok(()),
            false => Err(Error::Lacks { device: self.info.name.clone(), missing: self.lacks_for_pictures.clone() }),
        }
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, vk::Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocator of this program's buffers and images.
    pub(super) fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a Vulkan object the name that profilers and validation messages show.
    pub(super) fn name<T: vk::Handle + Copy>(&self, handle: T, name: &str) {
        let (Some(debug), false) = (&self.debug, handle.as_raw() == 0) else { return };
        with_c_name(name, |name| {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(name);
            // SAFETY: the handle belongs to this device. A failure to set the name is ignored.
            let _ = unsafe { debug.set_debug_utils_object_name(&info) };
        });
    }

    /// Names the object that a call created; or returns an error with the call and the object's name.
    pub(super) fn made<T: vk::Handle + Copy>(
        &self,
        operation: &'static str,
        name: &str,
        made: VkResult<T>,
    ) -> Result<T> {
        let handle = made.map_err(Error::vulkan(operation, name))?;
        self.name(handle, name);
        Ok(handle)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: every object made from the device held an Arc of it, so all are gone, and their owners, or the host
        // by its contract, have waited for their work. Layouts, cache and allocator are destroyed once each, before the
        // device, which is destroyed only if this program owns it.
        unsafe {
            if self.own {
                let _ = self.raw.device_wait_idle();
            }
            self.layouts.destroy(&self.raw);
            self.pipeline_cache.save_and_destroy(&self.raw);
            ManuallyDrop::drop(&mut self.allocator);
            if self.own {
                self.raw.destroy_device(None);
            }
        }
    }
}
