//! Buffers with memory of their own.

use super::barrier::Hazard;
use super::device::Device;
use crate::error::{Error, Result};
use ash::vk;
use bytemuck::Pod;
pub use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::sync::{Arc, PoisonError};

pub use ash::vk::BufferUsageFlags as BufferUsage;

/// How to make a [`Buffer`].
#[derive(Clone, Copy, Debug)]
pub struct BufferInfo<'a> {
    /// Name shown by profilers and in errors.
    pub name: &'a str,
    /// Bytes; at least one is allocated.
    pub size: u64,
    /// What it is used for.
    pub usage: BufferUsage,
    /// Where its memory lies.
    pub location: MemoryLocation,
}

/// A named buffer and its memory.
pub struct Buffer {
    pub(super) raw: vk::Buffer,
    allocation: Option<Allocation>,
    size: u64,
    name: String,
    device: Arc<Device>,
}

impl Buffer {
    /// Makes a buffer.
    ///
    /// # Errors
    /// [`Error::Allocation`] or [`Error::Vulkan`] naming the buffer when there is no memory for it.
    pub fn new(device: &Arc<Device>, info: &BufferInfo<'_>) -> Result<Self> {
        let size = info.size.max(4);
        let create = vk::BufferCreateInfo::default().size(size).usage(info.usage);
        // SAFETY: the device is alive and `create` is complete.
        let raw = unsafe { device.raw.create_buffer(&create, None) }
            .map_err(|r| device.error("vkCreateBuffer", info.name, r))?;
        // From here on `drop` releases what exists.
        let mut buffer = Buffer { raw, allocation: None, size, name: info.name.to_owned(), device: device.clone() };
        device.name(raw, info.name);
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let allocation = device
            .allocator()
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .allocate(&AllocationCreateDesc {
                name: info.name,
                requirements,
                location: info.location,
                linear: true,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| Error::Allocation { object: info.name.to_owned(), reason: e.to_string() })?;
        // SAFETY: the allocation is alive.
        let memory = unsafe { allocation.memory() };
        device.name_memory(memory, info.location);
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe { device.raw.bind_buffer_memory(raw, memory, allocation.offset()) }
            .map_err(|r| device.error("vkBindBufferMemory", info.name, r))?;
        buffer.allocation = Some(allocation);
        Ok(buffer)
    }

    /// A buffer of `data`, uploaded through a staging buffer and ready for any later submission.
    ///
    /// # Errors
    /// As [`Buffer::new`], or when the copy cannot be submitted.
    pub fn with_data<T: Pod>(device: &Arc<Device>, name: &str, usage: BufferUsage, data: &[T]) -> Result<Self> {
        let info = BufferInfo {
            name,
            size: std::mem::size_of_val(data) as u64,
            usage: usage | BufferUsage::TRANSFER_DST,
            location: MemoryLocation::GpuOnly,
        };
        let buffer = Buffer::new(device, &info)?;
        buffer.upload(0, data)?;
        Ok(buffer)
    }

    /// Bytes in the buffer.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Copies `data` to byte `offset` of host-visible memory. The caller sees to it that the device is not
    /// reading there.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are mistakes in this program.
    pub fn write<T: Pod>(&mut self, offset: u64, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let memory = self.allocation.as_mut().and_then(|a| a.mapped_slice_mut()).expect("host-visible memory");
        let start = offset as usize;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// Copies `count` values out of host-visible memory from byte `offset`.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are mistakes in this program.
    pub fn read<T: Pod>(&self, offset: u64, count: usize) -> Vec<T> {
        let memory = self.allocation.as_ref().and_then(|a| a.mapped_slice()).expect("host-visible memory");
        let start = offset as usize;
        bytemuck::pod_collect_to_vec(&memory[start..start + count * size_of::<T>()])
    }

    /// Copies `data` to byte `offset` through a staging buffer and waits until it is there.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or the copy cannot be submitted.
    pub fn upload<T: Pod>(&self, offset: u64, data: &[T]) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let size = std::mem::size_of_val(data) as u64;
        let mut staging = self.staging(size, BufferUsage::TRANSFER_SRC, MemoryLocation::CpuToGpu)?;
        staging.write(0, data);
        self.device.run_once("upload", |rec| {
            rec.copy_buffer(&staging, 0, self, offset, size);
            rec.barrier(super::Dependency {
                name: "upload-to-shaders",
                hazards: &[Hazard::Raw],
                guards: &["uploaded buffer"],
                src_stage: super::Stage::COPY,
                src_access: super::Access::TRANSFER_WRITE,
                dst_stage: super::Stage::COMPUTE_SHADER
                    | super::Stage::VERTEX_SHADER
                    | super::Stage::VERTEX_ATTRIBUTE_INPUT
                    | super::Stage::INDEX_INPUT
                    | super::Stage::COPY,
                dst_access: super::Access::SHADER_STORAGE_READ
                    | super::Access::VERTEX_ATTRIBUTE_READ
                    | super::Access::INDEX_READ
                    | super::Access::TRANSFER_READ,
                reason: "Any shader or copy of a later submission may read the bytes. The fence orders the two, yet only \
                         a dependency makes what was copied visible to them.",
            });
        })
    }

    /// Copies `count` values from byte `offset` back to the host. Waits for everything submitted before.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or the copy cannot be submitted.
    pub fn download<T: Pod>(&self, offset: u64, count: usize) -> Result<Vec<T>> {
        let size = (count * size_of::<T>()) as u64;
        if size == 0 {
            return Ok(Vec::new());
        }
        let staging = self.staging(size, BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu)?;
        self.device.run_once("download", |rec| {
            rec.barrier(super::Dependency {
                name: "writers-to-download",
                hazards: &[Hazard::Raw],
                guards: &["downloaded buffer"],
                src_stage: super::Stage::COMPUTE_SHADER | super::Stage::ALL_TRANSFER,
                src_access: super::Access::SHADER_STORAGE_WRITE | super::Access::TRANSFER_WRITE,
                dst_stage: super::Stage::COPY,
                dst_access: super::Access::TRANSFER_READ,
                reason: "Kernels and copies of earlier submissions wrote what is copied now.",
            });
            rec.copy_buffer(self, offset, &staging, 0, size);
            rec.barrier(super::Dependency {
                name: "download-to-host",
                hazards: &[Hazard::Raw, Hazard::Host],
                guards: &["staging buffer"],
                src_stage: super::Stage::COPY,
                src_access: super::Access::TRANSFER_WRITE,
                dst_stage: super::Stage::HOST,
                dst_access: super::Access::HOST_READ,
                reason: "The host reads the copy after the fence.",
            });
        })?;
        Ok(staging.read(0, count))
    }

    fn staging(&self, size: u64, usage: BufferUsage, location: MemoryLocation) -> Result<Buffer> {
        let name = format!("staging for {}", self.name);
        Buffer::new(&self.device, &BufferInfo { name: &name, size, usage, location })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take() {
            let freed = self.device.allocator().lock().unwrap_or_else(PoisonError::into_inner).free(allocation);
            if let Err(error) = freed {
                tracing::error!("freeing the memory of {} failed: {error}", self.name);
            }
        }
        // SAFETY: made from this device; its owner waited until the device no longer uses it.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
    }
}
