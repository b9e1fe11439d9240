//! Buffers with their own memory.

use super::device::Device;
use super::memory::{Memory, SHARED_AS};
use super::owned::Owned;
use crate::error::{Error, Result};
use ash::vk::{self, Handle as _};
use barrier_proof::{Bytes, HostEvent};
use bytemuck::Pod;
pub use gpu_allocator::MemoryLocation;
use std::sync::Arc;

pub use ash::vk::BufferUsageFlags as BufferUsage;

/// Parameters of a [`Buffer`].
#[derive(Clone, Copy, Debug)]
pub struct BufferInfo<'a> {
    /// Name in profilers and errors.
    pub name: &'a str,
    /// Bytes; at least one is allocated.
    pub size: u64,
    /// Its uses.
    pub usage: BufferUsage,
    /// The kind of its memory.
    pub location: MemoryLocation,
}

/// A named buffer and its memory.
pub struct Buffer {
    pub(super) raw: Owned<vk::Buffer>,
    // Freed after the buffer is destroyed.
    memory: Memory,
    size: u64,
    name: String,
}

impl Buffer {
    /// Makes a buffer.
    pub fn new(device: &Arc<Device>, info: &BufferInfo<'_>) -> Result<Self> {
        Self::made(device, info, false)
    }

    /// Makes a buffer on the device whose memory is its own, if the device [shares](super::DeviceOptions::share):
    /// others can import what [`Buffer::share`] hands out.
    pub fn shared(device: &Arc<Device>, info: &BufferInfo<'_>) -> Result<Self> {
        Self::made(device, info, device.shares.is_some())
    }

    fn made(device: &Arc<Device>, info: &BufferInfo<'_>, shared: bool) -> Result<Self> {
        let size = info.size.max(4);
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(SHARED_AS);
        let mut create = vk::BufferCreateInfo::default().size(size).usage(info.usage);
        if shared {
            create = create.push_next(&mut external);
        }
        // SAFETY: the device is alive and `create` is complete.
        let made = unsafe { device.raw.create_buffer(&create, None) };
        let raw = device.owned("vkCreateBuffer", info.name, made, ash::Device::destroy_buffer)?;
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(*raw) };
        let memory = match shared {
            true => Memory::shared(device, info.name, requirements, *raw)?,
            false => Memory::new(device, info.name, requirements, info.location, true)?,
        };
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe { device.raw.bind_buffer_memory(*raw, memory.raw(), memory.offset()) }
            .map_err(Error::vulkan("vkBindBufferMemory", info.name))?;
        memory.bound(info.name);
        Ok(Buffer { raw, memory, size, name: info.name.to_owned() })
    }

    /// Bytes in the buffer.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its handle, for a host program's commands and descriptors. Valid as long as this object.
    pub fn handle(&self) -> vk::Buffer {
        *self.raw
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its device address. It must have [`BufferUsage::SHADER_DEVICE_ADDRESS`], on a device that [has
    /// addresses](super::DeviceInfo::device_addresses).
    pub fn address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.handle());
        // SAFETY: the buffer is alive and bound to memory with an address, which the allocator gives to all of it.
        unsafe { self.raw.device.raw.get_buffer_device_address(&info) }
    }

    /// A file descriptor of its memory for another API on the same GPU, such as CUDA, which closes it by importing it,
    /// and the bytes of this memory; none if it is not shared. What is imported keeps the memory, but whoever uses it
    /// must not do so while this program's work is under way.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the process can open no more files.
    #[cfg(unix)]
    pub fn share(&self) -> Result<Option<(std::os::fd::OwnedFd, u64)>> {
        use std::os::fd::FromRawFd;
        let (Some(shares), Some(bytes)) = (&self.raw.device.shares, self.memory.shared_bytes()) else {
            return Ok(None);
        };
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.memory.raw()).handle_type(SHARED_AS);
        // SAFETY: the memory is alive and was made to be exported.
        let file = unsafe { shares.get_memory_fd(&info) }.map_err(Error::vulkan("vkGetMemoryFdKHR", &self.name))?;
        // SAFETY: the call has made it for its caller alone.
        Ok(Some((unsafe { std::os::fd::OwnedFd::from_raw_fd(file) }, bytes)))
    }

    /// Copies `data` to byte `offset` of host-visible memory. The caller ensures that the device is not reading it.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are bugs in the caller.
    pub fn write<T: Pod>(&mut self, offset: u64, data: &[T]) {
        self.raw.device.watch.note(|| HostEvent::Write(self.bytes(offset, size_of_val(data) as u64)));
        self.mapped_mut(offset, data.len()).copy_from_slice(data);
    }

    /// Copies `count` values out of host-visible memory from byte `offset`.
    ///
    /// # Panics
    /// When the buffer is not host-visible or too short: both are bugs in the caller.
    pub fn read<T: Pod>(&self, offset: u64, count: usize) -> Vec<T> {
        self.raw.device.watch.note(|| HostEvent::Read(self.bytes(offset, (count * size_of::<T>()) as u64)));
        self.mapped(offset, count).to_vec()
    }

    /// Hands all of its values to `read`, in host-visible memory.
    ///
    /// # Panics
    /// As [`Buffer::read`].
    pub fn read_with<T: Pod>(&self, read: impl FnOnce(&[T])) {
        self.raw.device.watch.note(|| HostEvent::Read(self.bytes(0, self.size())));
        read(self.mapped(0, self.size() as usize / size_of::<T>()));
    }

    /// The value at byte `offset` of host-visible memory.
    ///
    /// # Panics
    /// As [`Buffer::read`].
    pub fn read_one<T: Pod>(&self, offset: u64) -> T {
        self.raw.device.watch.note(|| HostEvent::Read(self.bytes(offset, size_of::<T>() as u64)));
        self.mapped(offset, 1)[0]
    }

    /// `size` bytes of it from byte `from`.
    pub(super) fn bytes(&self, from: u64, size: u64) -> Bytes {
        Bytes { buffer: self.handle().as_raw(), name: self.name.clone(), from, to: from + size }
    }

    /// Whether the host can access it.
    pub(super) fn is_mapped(&self) -> bool {
        self.memory.mapped().is_some()
    }

    /// `count` values of host-visible memory from byte `offset`. Memory is mapped page by page and offsets are
    /// multiples of a value's size, so the values are aligned.
    pub(super) fn mapped<T: Pod>(&self, offset: u64, count: usize) -> &[T] {
        let memory = self.memory.mapped().expect("host-visible memory");
        let start = offset as usize;
        bytemuck::cast_slice(&memory[start..start + count * size_of::<T>()])
    }

    pub(super) fn mapped_mut<T: Pod>(&mut self, offset: u64, count: usize) -> &mut [T] {
        let memory = self.memory.mapped_mut().expect("host-visible memory");
        let start = offset as usize;
        bytemuck::cast_slice_mut(&mut memory[start..start + count * size_of::<T>()])
    }
}
