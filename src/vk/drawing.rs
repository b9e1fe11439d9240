//! The part of a recorder that draws.

use super::barrier::{ImageRef, Layout, Stage};
use super::buffer::Buffer;
use super::descriptors::DescriptorSet;
use super::pass::{Pass, Use};
use super::pipeline::GraphicsPipeline;
use super::recorder::Recorder;
use ash::vk;

/// The attachments of a frame.
#[derive(Clone, Copy)]
pub struct Attachments {
    /// Multisampled color, discarded after the resolve.
    pub color: ImageRef,
    /// Multisampled depth, discarded after the draws.
    pub depth: ImageRef,
    /// The image that the samples are resolved to.
    pub resolve: ImageRef,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl Attachments {
    fn area(&self) -> vk::Rect2D {
        vk::Extent2D { width: self.width, height: self.height }.into()
    }
}

impl Recorder<'_> {
    /// Draws what `body` records into the attachments. They are cleared first, and resolved at the end, each in a separate pass.
    pub fn rendering(&mut self, to: &Attachments, body: impl FnOnce(&mut Self)) {
        let area = to.area();
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(to.color.view)
            .image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(to.resolve.view)
            .resolve_image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue::default() })];
        let far = vk::ClearDepthStencilValue { depth: 0.0, stencil: 0 };
        let depth = vk::RenderingAttachmentInfo::default()
            .image_view(to.depth.view)
            .image_layout(Layout::DEPTH_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .clear_value(vk::ClearValue { depth_stencil: far });
        let info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&color)
            .depth_attachment(&depth);
        let viewport = vk::Viewport {
            width: to.width as f32,
            height: to.height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        let uses = [Use::color_write(to.color.name), Use::depth_clear(to.depth.name)];
        let clear = Pass { name: "draw_clear", stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &uses };
        self.renderings += 1;
        self.rendering = true;
        self.pass(&clear, |rec| {
            // SAFETY: the attachments are alive until the frame's fence and in the layouts named above.
            unsafe {
                rec.device.raw.cmd_begin_rendering(rec.commands, &info);
                rec.device.raw.cmd_set_viewport(rec.commands, 0, &[viewport]);
                rec.device.raw.cmd_set_scissor(rec.commands, 0, &[area]);
            }
        });
        body(self);
        let uses = [
            Use::color_read(to.color.name),
            Use::color_write(to.resolve.name),
            Use::color_write(to.color.name),
            Use::depth_drop(to.depth.name),
        ];
        let resolve = Pass { name: "draw_resolve", stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &uses };
        // SAFETY: begun above.
        self.pass(&resolve, |rec| unsafe { rec.device.raw.cmd_end_rendering(rec.commands) });
        self.rendering = false;
    }

    /// Draws what `body` records over the resolved picture, without depth or multisampling.
    pub fn rendering_over(&mut self, to: &Attachments, body: impl FnOnce(&mut Self)) {
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(to.resolve.view)
            .image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default().render_area(to.area()).layer_count(1).color_attachments(&color);
        // SAFETY: the attachment is alive until the frame's fence and in the layout named above.
        unsafe { self.device.raw.cmd_begin_rendering(self.commands, &info) };
        body(self);
        // SAFETY: begun above.
        unsafe { self.device.raw.cmd_end_rendering(self.commands) };
    }

    /// Binds a graphics pipeline and its descriptor sets; `offsets` belong to dynamic uniform buffers.
    pub fn bind_graphics(&mut self, pipeline: &GraphicsPipeline, sets: &[&DescriptorSet], offsets: &[u32]) {
        self.bind(vk::PipelineBindPoint::GRAPHICS, &pipeline.0, sets, offsets);
    }

    /// Binds the vertices and 32-bit indices of a mesh.
    pub fn bind_mesh(&mut self, vertices: &Buffer, indices: &Buffer) {
        // SAFETY: the buffer is alive until the frame's fence.
        unsafe { self.device.raw.cmd_bind_vertex_buffers(self.commands, 0, &[*vertices.raw], &[0]) };
        self.bind_indices(indices);
    }

    /// Binds the 32-bit indices of a mesh whose vertices the shader computes.
    pub fn bind_indices(&mut self, indices: &Buffer) {
        // SAFETY: the buffer is alive until the frame's fence.
        unsafe { self.device.raw.cmd_bind_index_buffer(self.commands, *indices.raw, 0, vk::IndexType::UINT32) };
    }

    /// Draws `vertices` vertices without a vertex buffer.
    pub fn draw(&mut self, vertices: u32) {
        // SAFETY: a pipeline without vertex input is bound, inside a rendering.
        unsafe { self.device.raw.cmd_draw(self.commands, vertices, 1, 0, 0) };
    }

    /// Draws with `count` tightly packed `VkDrawIndexedIndirectCommand`s from byte `offset` of `arguments`.
    pub fn draw_indexed_indirect(&mut self, arguments: &Buffer, offset: u64, count: u32) {
        let stride = size_of::<vk::DrawIndexedIndirectCommand>() as u32;
        // SAFETY: a pipeline and its mesh are bound, inside a rendering; the arguments are within the buffer.
        unsafe { self.device.raw.cmd_draw_indexed_indirect(self.commands, *arguments.raw, offset, count, stride) };
    }
}
