//! Buffers with memory of their own.

use super::barrier::Hazard;
use super::device::Device;
use super::recorder::Recorder;
use crate::error::{Error, Result};
use ash::vk;
use bytemuck::Pod;
pub use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::sync::{Arc, PoisonError};

pub use ash::vk::BufferUsageFlags as BufferUsage;

/// Bytes of the longest staging buffer: enough for the copies to run at full speed, and little beside any flock.
pub const STAGING: u64 = 64 << 20;

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

    /// Its handle, for commands and descriptors of a host's. The buffer stays ours: the handle is good for as long as this
    /// object is.
    pub fn handle(&self) -> vk::Buffer {
        self.raw
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it begins in the device's memory. Made with [`BufferUsage::SHADER_DEVICE_ADDRESS`] on a device that
    /// [has addresses](super::DeviceInfo::device_addresses).
    pub fn address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the buffer is alive and bound to memory with an address, which the allocator gives to all of it.
        unsafe { self.device.raw.get_buffer_device_address(&info) }
    }

    /// Copies `data` to byte `offset` of host-visible memory. The caller sees to it that the device is not
    /// reading there.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are mistakes in this program.
    pub fn write<T: Pod>(&mut self, offset: u64, data: &[T]) {
        self.mapped_mut(offset, data.len()).copy_from_slice(data);
    }

    /// Copies `count` values out of host-visible memory from byte `offset`.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are mistakes in this program.
    pub fn read<T: Pod>(&self, offset: u64, count: usize) -> Vec<T> {
        self.mapped(offset, count).to_vec()
    }

    /// `count` values of host-visible memory from byte `offset`. Memory is mapped page by page and offsets are multiples of a
    /// value's size, so the values are aligned.
    fn mapped<T: Pod>(&self, offset: u64, count: usize) -> &[T] {
        let memory = self.allocation.as_ref().and_then(|a| a.mapped_slice()).expect("host-visible memory");
        let start = offset as usize;
        bytemuck::cast_slice(&memory[start..start + count * size_of::<T>()])
    }

    fn mapped_mut<T: Pod>(&mut self, offset: u64, count: usize) -> &mut [T] {
        let memory = self.allocation.as_mut().and_then(|a| a.mapped_slice_mut()).expect("host-visible memory");
        let start = offset as usize;
        bytemuck::cast_slice_mut(&mut memory[start..start + count * size_of::<T>()])
    }

    /// Copies `data` to byte `offset` through a staging buffer and waits until it is there.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or the copy cannot be submitted.
    pub fn upload<T: Pod>(&self, offset: u64, data: &[T]) -> Result<()> {
        self.upload_with(offset, data.len(), |first, piece| piece.copy_from_slice(&data[first..][..piece.len()]))
    }

    /// Writes `count` values from byte `offset` on, piece by piece through a staging buffer of at most [`STAGING`] bytes, and
    /// waits until they are there. `fill` is given the number of a piece's first value, and the piece to write.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or a copy cannot be submitted.
    pub fn upload_with<T: Pod>(&self, offset: u64, count: usize, fill: impl Fn(usize, &mut [T])) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let most = in_one_piece::<T>(count);
        let mut staging = self.staging(bytes_of::<T>(most), BufferUsage::TRANSFER_SRC, MemoryLocation::CpuToGpu)?;
        for first in (0..count).step_by(most) {
            let now = most.min(count - first);
            fill(first, staging.mapped_mut(0, now));
            self.device.run_once("upload", |rec| {
                rec.copy_buffer(&staging, 0, self, offset + bytes_of::<T>(first), bytes_of::<T>(now));
                rec.barrier(super::Dependency {
                    name: "upload-to-shaders",
                    hazards: &[Hazard::Raw],
                    guards: &["uploaded buffer"],
                    relies_on: &[],
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
                    reason: "Any shader or copy of a later submission may read the bytes. The fence orders the two, yet \
                             only a dependency makes what was copied visible to them.",
                });
            })?;
        }
        Ok(())
    }

    /// Copies `count` values from byte `offset` back to the host. Waits for everything submitted before.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or the copy cannot be submitted.
    pub fn download<T: Pod>(&self, offset: u64, count: usize) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(count);
        self.download_with(offset, count, |piece: &[T]| values.extend_from_slice(piece))?;
        Ok(values)
    }

    /// Hands `count` values from byte `offset` on to `take`, piece by piece through a staging buffer of at most [`STAGING`]
    /// bytes. Waits for everything submitted before.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or a copy cannot be submitted.
    pub fn download_with<T: Pod>(&self, offset: u64, count: usize, mut take: impl FnMut(&[T])) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let most = in_one_piece::<T>(count);
        let staging = self.staging(bytes_of::<T>(most), BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu)?;
        for first in (0..count).step_by(most) {
            let now = most.min(count - first);
            self.fetch(|rec| {
                rec.copy_buffer(self, offset + bytes_of::<T>(first), &staging, 0, bytes_of::<T>(now));
            })?;
            take(staging.mapped(0, now));
        }
        Ok(())
    }

    /// The values at `places`, each counted in values from the beginning: few of many. Waits for everything submitted before.
    ///
    /// # Errors
    /// When there is no memory for the staging buffer or the copies cannot be submitted.
    pub fn download_at<T: Pod>(&self, places: &[usize]) -> Result<Vec<T>> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let (count, each) = (places.len(), bytes_of::<T>(1));
        let staging = self.staging(bytes_of::<T>(count), BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu)?;
        self.fetch(|rec| {
            for (to, &from) in places.iter().enumerate() {
                rec.copy_buffer(self, bytes_of::<T>(from), &staging, bytes_of::<T>(to), each);
            }
        })?;
        Ok(staging.read(0, count))
    }

    /// Runs copies from this buffer to one that the host reads.
    fn fetch(&self, copies: impl FnOnce(&mut Recorder<'_>)) -> Result<()> {
        self.device.run_once("download", |rec| {
            rec.barrier(super::Dependency {
                name: "writers-to-download",
                hazards: &[Hazard::Raw],
                guards: &["downloaded buffer"],
                relies_on: &[],
                src_stage: super::Stage::COMPUTE_SHADER | super::Stage::ALL_TRANSFER,
                src_access: super::Access::SHADER_STORAGE_WRITE | super::Access::TRANSFER_WRITE,
                dst_stage: super::Stage::COPY,
                dst_access: super::Access::TRANSFER_READ,
                reason: "Kernels and copies of earlier submissions wrote what is copied now.",
            });
            copies(rec);
            rec.barrier(super::Dependency {
                name: "download-to-host",
                hazards: &[Hazard::Raw, Hazard::Host],
                guards: &["staging buffer"],
                relies_on: &[],
                src_stage: super::Stage::COPY,
                src_access: super::Access::TRANSFER_WRITE,
                dst_stage: super::Stage::HOST,
                dst_access: super::Access::HOST_READ,
                reason: "The host reads the copy after the fence.",
            });
        })
    }

    fn staging(&self, size: u64, usage: BufferUsage, location: MemoryLocation) -> Result<Buffer> {
        let name = format!("staging for {}", self.name);
        Buffer::new(&self.device, &BufferInfo { name: &name, size, usage, location })
    }
}

fn bytes_of<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

/// Values of `count` that go through a staging buffer at once.
fn in_one_piece<T>(count: usize) -> usize {
    count.min((STAGING as usize / size_of::<T>()).max(1))
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
