//! The part of a recorder that fills and copies.

use super::buffer::Buffer;
use super::recorder::Recorder;
use ash::vk;
use barrier_proof::ImageRef;
use bytemuck::Pod;

impl Recorder<'_> {
    /// Fills a buffer with a repeated word.
    pub fn fill_buffer(&mut self, buffer: &Buffer, word: u32) {
        // SAFETY: the buffer is alive until the frame's fence; the range is all of it.
        unsafe { (**self).fill_buffer(*buffer.raw, word) };
    }

    /// Copies `data`, at most 64 KiB of whole words, into a buffer as part of the commands.
    pub fn update_buffer<T: Pod>(&mut self, buffer: &Buffer, offset: u64, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        debug_assert!(bytes.len() <= 65_536 && bytes.len().is_multiple_of(4) && offset.is_multiple_of(4));
        // SAFETY: the buffer is alive until the frame's fence; size and alignment are as asserted.
        unsafe { (**self).update_buffer(*buffer.raw, offset, bytes) };
    }

    /// Copies `size` bytes from one buffer to another.
    pub fn copy_buffer(&mut self, from: &Buffer, from_offset: u64, to: &Buffer, to_offset: u64, size: u64) {
        self.copies(Some((from, from_offset, size)), Some((to, to_offset, size)));
        let region = [vk::BufferCopy::default().src_offset(from_offset).dst_offset(to_offset).size(size)];
        // SAFETY: both buffers are alive until the frame's fence.
        unsafe { (**self).copy_buffer(*from.raw, *to.raw, &region) };
    }

    /// Copies a whole image, which has the layout `TRANSFER_SRC_OPTIMAL`, tightly packed into a buffer.
    pub fn copy_image_to_buffer(&mut self, from: ImageRef, width: u32, height: u32, to: &Buffer) {
        self.copies(None, Some((to, 0, to.size())));
        let region = [whole_image(width, height)];
        // SAFETY: both are alive until the frame's fence; the buffer was made for this size.
        unsafe { (**self).copy_image_to_buffer(from.raw, *to.raw, &region) };
    }

    /// Copies tightly packed texels from a buffer into a whole image, which has the layout `TRANSFER_DST_OPTIMAL`.
    pub fn copy_buffer_to_whole_image(&mut self, from: &Buffer, to: ImageRef, width: u32, height: u32) {
        self.copies(Some((from, 0, from.size())), None);
        let region = [whole_image(width, height)];
        // SAFETY: both are alive until the frame's fence; the buffer was made for this size.
        unsafe { (**self).copy_buffer_to_image(*from.raw, to.raw, &region) };
    }

    /// Fills the levels of an image, which has the layout `TRANSFER_DST_OPTIMAL`, from a buffer. `levels` gives the
    /// offset in the buffer of each, and its width and height in texels.
    pub fn copy_buffer_to_image(&mut self, from: &Buffer, to: ImageRef, levels: &[(u64, [u32; 2])]) {
        self.copies(Some((from, 0, from.size())), None);
        let regions: Vec<_> = levels
            .iter()
            .zip(0..)
            .map(|(&(offset, [width, height]), level)| {
                let mut region = whole_image(width, height).buffer_offset(offset);
                region.image_subresource.mip_level = level;
                region
            })
            .collect();
        // SAFETY: both are alive until the frame's fence; the buffer was made for these levels.
        unsafe { (**self).copy_buffer_to_image(*from.raw, to.raw, &regions) };
    }

    /// Notes what a copy reads and writes of mapped memory: a buffer, an offset and a size in bytes each.
    fn copies(&mut self, from: Option<(&Buffer, u64, u64)>, to: Option<(&Buffer, u64, u64)>) {
        if !self.is_watched() {
            return;
        }
        let mapped =
            |(buffer, offset, size): (&Buffer, u64, u64)| buffer.is_mapped().then(|| buffer.bytes(offset, size));
        self.reads_mapped(from.and_then(mapped));
        self.writes_mapped(to.and_then(mapped));
    }
}

/// A copy between a buffer and the first level of an image of this size.
fn whole_image(width: u32, height: u32) -> vk::BufferImageCopy {
    let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
    let extent = vk::Extent3D { width, height, depth: 1 };
    vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)
}
