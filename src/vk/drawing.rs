//! The part of a recorder that draws.

use super::buffer::Buffer;
use super::descriptors::DescriptorSet;
use super::pipeline::GraphicsPipeline;
use super::recorder::Recorder;
use ash::vk;
use barrier_proof::{ImageRef, Layout, Resource};

/// The image that a frame's picture goes to.
#[derive(Clone, Copy)]
pub struct Target {
    /// The image.
    pub image: ImageRef,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl Target {
    /// An image of a host, with a view of it: of one level and layer, and of so many pixels. Both belong to the adopted
    /// device, and live as long as frames use them.
    pub fn of_host(raw: vk::Image, view: vk::ImageView, width: u32, height: u32) -> Target {
        Target { image: ImageRef::color(raw, view, Resource::new("host_image")), width, height }
    }
}

impl Recorder<'_> {
    /// Draws what `body` records without attachments: its fragment shaders write to buffers. `size` is in pixels.
    pub fn rasterizing(&mut self, size: (u32, u32), body: impl FnOnce(&mut Self)) {
        self.rendering_into(size, &[], &[], body);
    }

    /// Draws what `body` records over the picture in `to`.
    pub fn rendering_over(&mut self, to: &Target, body: impl FnOnce(&mut Self)) {
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(to.image.view)
            .image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        self.rendering_into((to.width, to.height), &color, &[to.image.resource], body);
    }

    fn rendering_into(
        &mut self,
        (width, height): (u32, u32),
        color: &[vk::RenderingAttachmentInfo<'_>],
        images: &[Resource],
        body: impl FnOnce(&mut Self),
    ) {
        let area: vk::Rect2D = vk::Extent2D { width, height }.into();
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(color);
        // SAFETY: the attachment, if any, is alive until the frame's fence and in the layout named above.
        unsafe { self.begin_rendering(&info, images) };
        body(self);
        // SAFETY: begun above.
        unsafe { self.end_rendering() };
    }

    /// Binds a graphics pipeline and its descriptor sets; `offsets` belong to dynamic uniform buffers.
    pub fn bind_graphics(&mut self, pipeline: &GraphicsPipeline, sets: &[&DescriptorSet], offsets: &[u32]) {
        self.bind(vk::PipelineBindPoint::GRAPHICS, &pipeline.0, sets, offsets);
    }

    /// Binds the vertices and 32-bit indices of a mesh.
    pub fn bind_mesh(&mut self, vertices: &Buffer, indices: &Buffer) {
        // SAFETY: the buffer is alive until the frame's fence.
        unsafe { self.bind_vertex_buffer(*vertices.raw) };
        self.bind_indices(indices);
    }

    /// Binds the 32-bit indices of a mesh whose vertices the shader computes.
    pub fn bind_indices(&mut self, indices: &Buffer) {
        // SAFETY: the buffer is alive until the frame's fence.
        unsafe { self.bind_index_buffer(*indices.raw) };
    }

    /// Draws `instances` times `vertices` vertices without a vertex buffer.
    pub fn draw(&mut self, vertices: u32, instances: u32) {
        self.draw_from((0, vertices), (0, instances));
    }

    /// The same from the first of the vertices, and of the instances, each with a count.
    pub fn draw_from(&mut self, vertices: (u32, u32), instances: (u32, u32)) {
        // SAFETY: a pipeline without vertex input is bound, inside a rendering.
        unsafe { (**self).draw(vertices, instances) };
    }

    /// Clips what is drawn next to the `width` by `height` pixels from `left` and `top`, which are inside the picture.
    pub fn clip(&mut self, [left, top, width, height]: [u32; 4]) {
        let offset = vk::Offset2D { x: left as i32, y: top as i32 };
        let area = vk::Rect2D { offset, extent: vk::Extent2D { width, height } };
        // SAFETY: the commands are being recorded.
        unsafe { self.set_scissor(area) };
    }

    /// Draws `count` vertices by the indices from number `first`.
    pub fn draw_indexed(&mut self, first: u32, count: u32) {
        // SAFETY: a pipeline and its mesh are bound, inside a rendering; the indices are within their buffer.
        unsafe { (**self).draw_indexed(first, count) };
    }

    /// Draws with `count` tightly packed `VkDrawIndexedIndirectCommand`s from byte `offset` of `arguments`.
    pub fn draw_indexed_indirect(&mut self, arguments: &Buffer, offset: u64, count: u32) {
        // SAFETY: a pipeline and its mesh are bound, inside a rendering; the arguments are within the buffer.
        unsafe { (**self).draw_indexed_indirect(*arguments.raw, offset, count) };
    }
}
