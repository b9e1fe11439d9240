//! The memory of a buffer or an image: a part of a block of the device's allocator.

use super::device::Device;
use crate::error::{Error, Result};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::sync::Arc;

/// Memory of one object. Its owner drops it when the device no longer uses it.
pub(super) struct Memory {
    pub allocation: Allocation,
    device: Arc<Device>,
}

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
        let memory = Memory { allocation, device: device.clone() };
        // Mesa's software driver takes mmap's failure (MAP_FAILED, all ones) for a place. A block's first part begins there.
        if memory.allocation.mapped_ptr().is_some_and(|pointer| pointer.as_ptr() as usize == usize::MAX) {
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

    /// The block that it belongs to.
    pub fn raw(&self) -> vk::DeviceMemory {
        // SAFETY: the allocation is alive.
        unsafe { self.allocation.memory() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Err(error) = self.device.allocator().free(std::mem::take(&mut self.allocation)) {
            tracing::error!("freeing memory failed: {error}");
        }
    }
}
