//! The memory of a buffer or an image: a part of a block of the device's allocator, or memory of its own that others on
//! the same device can import.

use super::device::Device;
use super::owned::Owned;
use crate::error::{Error, Result};
use ash::vk::{self, Handle as _};
use barrier_proof::Bytes;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::sync::Arc;

/// Memory of one object. Its owner drops it when the device no longer uses it.
pub(super) struct Memory {
    held: Held,
    device: Arc<Device>,
}

enum Held {
    Part(Allocation),
    /// All of this memory, and its bytes.
    Shared(Owned<vk::DeviceMemory>, u64),
}

/// How memory is handed to others: as a file descriptor, which only the same driver understands.
pub(super) const SHARED_AS: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

impl Memory {
    /// Memory at `location` for the object `name`, which is `linear` if it is a buffer.
    pub fn new(
        device: &Arc<Device>,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Self> {
        let allocation_scheme = AllocationScheme::GpuAllocatorManaged;
        let info = AllocationCreateDesc { name, requirements, location, linear, allocation_scheme };
        let made = device.allocator().allocate(&info);
        let allocation = made.map_err(|e| Error::Allocation { object: name.to_owned(), reason: e.to_string() })?;
        let at_failure = allocation.mapped_ptr();
        let memory = Memory { held: Held::Part(allocation), device: device.clone() };
        // Mesa's software driver takes mmap's failure (MAP_FAILED, all ones) for a place. A block's first part begins
        // there.
        if at_failure.is_some_and(|pointer| pointer.as_ptr() as usize == usize::MAX) {
            let reason = "the driver could not map it, for lack of address space".to_owned();
            return Err(Error::Allocation { object: name.to_owned(), reason });
        }
        let block = match location {
            MemoryLocation::GpuOnly => "device memory",
            MemoryLocation::CpuToGpu => "upload memory",
            MemoryLocation::GpuToCpu => "readback memory",
            MemoryLocation::Unknown => "memory",
        };
        device.name(memory.raw(), block);
        Ok(memory)
    }

    /// Memory on the device for `buffer` alone, which was made to be shared.
    pub fn shared(
        device: &Arc<Device>,
        name: &str,
        requirements: vk::MemoryRequirements,
        buffer: vk::Buffer,
    ) -> Result<Self> {
        // SAFETY: the device comes from this instance, which is alive.
        let kinds = unsafe { device.instance.raw.get_physical_device_memory_properties(device.info.raw) };
        let fits = |index: u32| {
            let flags = kinds.memory_types[index as usize].property_flags;
            requirements.memory_type_bits & 1 << index != 0 && flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
        };
        let kind = (0..kinds.memory_type_count).find(|&index| fits(index)).ok_or_else(|| Error::Allocation {
            object: name.to_owned(),
            reason: "no memory of the device can be shared".into(),
        })?;
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(SHARED_AS);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut addressed = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(kind)
            .push_next(&mut export)
            .push_next(&mut dedicated);
        if device.info.device_addresses {
            info = info.push_next(&mut addressed);
        }
        // SAFETY: the device is alive, and its extension for this is enabled.
        let made = unsafe { device.raw.allocate_memory(&info, None) };
        let made = device.owned("vkAllocateMemory", name, made, ash::Device::free_memory)?;
        Ok(Memory { held: Held::Shared(made, requirements.size), device: device.clone() })
    }

    /// Where it begins in [`Memory::raw`].
    pub fn offset(&self) -> u64 {
        match &self.held {
            Held::Part(allocation) => allocation.offset(),
            Held::Shared(..) => 0,
        }
    }

    /// Its bytes, if it is shared: those that an import must name.
    pub fn shared_bytes(&self) -> Option<u64> {
        match self.held {
            Held::Part(_) => None,
            Held::Shared(_, bytes) => Some(bytes),
        }
    }

    /// As the host sees it, if it does.
    pub fn mapped(&self) -> Option<&[u8]> {
        match &self.held {
            Held::Part(allocation) => allocation.mapped_slice(),
            Held::Shared(..) => None,
        }
    }

    /// The same, to be written.
    pub fn mapped_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.held {
            Held::Part(allocation) => allocation.mapped_slice_mut(),
            Held::Shared(..) => None,
        }
    }

    /// Notes what is bound to it: the proof looks for two resources at one place.
    pub fn bound(&self, name: &str) {
        let (from, size) = match &self.held {
            Held::Part(allocation) => (allocation.offset(), allocation.size()),
            Held::Shared(_, bytes) => (0, *bytes),
        };
        let buffer = self.raw().as_raw();
        self.device.watch.bound(Bytes { buffer, name: name.to_owned(), from, to: from + size });
    }

    /// The block that it belongs to.
    pub fn raw(&self) -> vk::DeviceMemory {
        match &self.held {
            // SAFETY: the allocation is alive.
            Held::Part(allocation) => unsafe { allocation.memory() },
            Held::Shared(memory, _) => **memory,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.device.watch.freed(self.raw().as_raw(), self.offset());
        if let Held::Part(allocation) = &mut self.held
            && let Err(error) = self.device.allocator().free(std::mem::take(allocation))
        {
            tracing::error!("freeing memory failed: {error}");
        }
    }
}
