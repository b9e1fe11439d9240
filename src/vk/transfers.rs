//! Copies between the host and buffers or images that are not host-visible, through staging buffers.

use super::buffer::{Buffer, BufferInfo, BufferUsage, MemoryLocation};
use super::device::Device;
use super::recorder::Recorder;
use crate::error::Result;
use barrier_proof::{
    Access, Hazard, ImageDependency, ImageRef, Layout, Pass, Resource, Stage, Use, barrier, image_barrier,
};
use bytemuck::Pod;
use std::sync::Arc;

/// Bytes of the longest staging buffer: enough for copies at full speed, and small next to a large flock.
pub const STAGING: u64 = 64 << 20;

const UPLOADED: Resource = Resource::new("uploaded buffer");
const DOWNLOADED: Resource = Resource::new("downloaded buffer");
const STAGED: Resource = Resource::new("staging buffer");

impl Buffer {
    /// A buffer of `data`, uploaded through a staging buffer and ready for any later submission.
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

    /// Copies `data` to byte `offset` through a staging buffer and waits until it is there.
    pub fn upload<T: Pod>(&self, offset: u64, data: &[T]) -> Result<()> {
        self.upload_with(offset, data.len(), |first, piece| piece.copy_from_slice(&data[first..][..piece.len()]))
    }

    /// Writes `count` values from byte `offset`, piece by piece through a staging buffer of at most [`STAGING`] bytes,
    /// and waits until they are there. `fill` is given the number of a piece's first value, and the piece to write.
    pub fn upload_with<T: Pod>(&self, offset: u64, count: usize, fill: impl Fn(usize, &mut [T])) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let most = in_one_piece::<T>(count);
        let mut staging = self.staging(bytes_of::<T>(most), BufferUsage::TRANSFER_SRC, MemoryLocation::CpuToGpu)?;
        // Threads may upload to several at once.
        self.raw.device.watch.own(UPLOADED);
        for first in (0..count).step_by(most) {
            let now = most.min(count - first);
            fill(first, staging.mapped_mut(0, now));
            self.raw.device.run_once("upload", |rec| {
                rec.pass(&copy("upload", &[Use::copy_from(STAGED), Use::copy_to(UPLOADED)]), |rec| {
                    rec.copy_buffer(&staging, 0, self, offset + bytes_of::<T>(first), bytes_of::<T>(now));
                });
                barrier!(rec, "upload-to-shaders", [Raw], [UPLOADED],
                    (COPY, TRANSFER_WRITE) => (
                        COMPUTE_SHADER | VERTEX_SHADER | VERTEX_ATTRIBUTE_INPUT | INDEX_INPUT | COPY,
                        SHADER_STORAGE_READ | VERTEX_ATTRIBUTE_READ | INDEX_READ | TRANSFER_READ
                    ),
                    "Any shader or copy of a later submission may read the bytes. A wait for the fence would do for \
                     that too, but this does not rely on one.");
            })?;
        }
        Ok(())
    }

    /// Copies `count` values from byte `offset` back to the host. Waits for everything submitted before.
    pub fn download<T: Pod>(&self, offset: u64, count: usize) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(count);
        self.download_with(offset, count, |piece: &[T]| values.extend_from_slice(piece))?;
        Ok(values)
    }

    /// Passes `count` values from byte `offset` to `take`, piece by piece through a staging buffer of at most
    /// [`STAGING`] bytes. Waits for everything submitted before.
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

    /// The values at `places`, indices of values from the start: for few of many. Waits for everything submitted
    /// before.
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
        self.raw.device.run_once("download", |rec| {
            barrier!(rec, "writers-to-download", [Raw], [DOWNLOADED],
                (COMPUTE_SHADER | ALL_TRANSFER, SHADER_STORAGE_WRITE | TRANSFER_WRITE) => (COPY, TRANSFER_READ),
                "Kernels and copies of earlier submissions wrote the bytes that are copied here.");
            rec.pass(&copy("download", &[Use::copy_from(DOWNLOADED), Use::copy_to(STAGED)]), copies);
            barrier!(rec, "download-to-host", [Raw, Host], [STAGED],
                (COPY, TRANSFER_WRITE) => (HOST, HOST_READ),
                "The host reads the copy after the fence.");
            rec.host_reads(STAGED);
        })
    }

    fn staging(&self, size: u64, usage: BufferUsage, location: MemoryLocation) -> Result<Buffer> {
        let name = format!("staging for {}", self.name());
        Buffer::new(&self.raw.device, &BufferInfo { name: &name, size, usage, location })
    }
}

/// Fills a new image of one level, `size` texels wide and high, through a staging buffer, and waits until `stage`, that
/// of shaders, may sample it in any later submission.
pub fn fill_image(device: &Arc<Device>, image: ImageRef, size: [u32; 2], texels: &[u8], stage: Stage) -> Result<()> {
    let info = BufferInfo {
        name: &format!("staging for {}", image.resource),
        size: texels.len() as u64,
        usage: BufferUsage::TRANSFER_SRC,
        location: MemoryLocation::CpuToGpu,
    };
    let mut staging = Buffer::new(device, &info)?;
    staging.write(0, texels);
    device.run_once(&format!("upload of {}", image.resource), |rec| {
        image_barrier!(rec, "start-to-upload", [Layout], image,
            (NONE, NONE, UNDEFINED) => (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL),
            "A new image has the layout UNDEFINED and no earlier access, so there is nothing to wait for.");
        let uses = [Use::copy_from(STAGED), Use::copy_to_image(image.resource)];
        rec.pass(&copy("image upload", &uses), |rec| rec.copy_buffer_to_image(&staging, image, &[(0, size)]));
        rec.image_barrier(ImageDependency {
            name: "upload-to-sampling",
            hazards: &[Hazard::Layout, Hazard::Raw],
            image,
            relies_on: &[],
            src_stage: Stage::COPY,
            src_access: Access::TRANSFER_WRITE,
            old_layout: Layout::TRANSFER_DST_OPTIMAL,
            dst_stage: stage,
            dst_access: Access::SHADER_SAMPLED_READ,
            new_layout: Layout::SHADER_READ_ONLY_OPTIMAL,
            reason: "Shaders of later submissions sample it, in this layout.",
        });
    })
}

fn copy<'a>(name: &'static str, uses: &'a [Use]) -> Pass<'a> {
    Pass { name, stage: Stage::COPY, uses }
}

fn bytes_of<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

/// How many of `count` values fit into a staging buffer at once.
fn in_one_piece<T>(count: usize) -> usize {
    count.min((STAGING as usize / size_of::<T>()).max(1))
}
