//! The commands of a recorder, by raw handles: what a journal must know of them is noted.
//!
//! Each is the Vulkan command of the same name. All are unsafe as those are: handles are alive until the device is done
//! with the commands, and the call is valid where it stands.

#![expect(clippy::missing_safety_doc, reason = "the contract of all of them stands above, once")]

use crate::{Attachment, Recorder, Resource, Shader, Stage};
use ash::vk;

/// Commands of which a journal need not know anything.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident ($($parameter:ident: $kind:ty),* $(,)?) is $command:ident ($($argument:expr),*);)*) => {
        impl Recorder<'_> {
            $($(#[$about])* pub unsafe fn $name(&mut self, $($parameter: $kind),*) {
                // SAFETY: by the caller.
                unsafe { self.device.$command(self.commands, $($argument),*) };
            })*
        }
    };
}

commands! {
    /// Fills a whole buffer with a repeated word.
    fill_buffer(buffer: vk::Buffer, word: u32) is cmd_fill_buffer(buffer, 0, vk::WHOLE_SIZE, word);

    /// Copies bytes into a buffer as part of the commands.
    update_buffer(buffer: vk::Buffer, offset: u64, bytes: &[u8]) is cmd_update_buffer(buffer, offset, bytes);

    /// Copies parts of a buffer to another.
    copy_buffer(from: vk::Buffer, to: vk::Buffer, regions: &[vk::BufferCopy]) is cmd_copy_buffer(from, to, regions);

    /// Copies an image in the layout `TRANSFER_SRC_OPTIMAL` to a buffer.
    copy_image_to_buffer(from: vk::Image, to: vk::Buffer, regions: &[vk::BufferImageCopy])
        is cmd_copy_image_to_buffer(from, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, to, regions);

    /// Copies a buffer to an image in the layout `TRANSFER_DST_OPTIMAL`.
    copy_buffer_to_image(from: vk::Buffer, to: vk::Image, regions: &[vk::BufferImageCopy])
        is cmd_copy_buffer_to_image(from, to, vk::ImageLayout::TRANSFER_DST_OPTIMAL, regions);

    /// Binds descriptor sets from set 0 on; `offsets` belong to dynamic buffers.
    bind_descriptor_sets(point: vk::PipelineBindPoint, layout: vk::PipelineLayout, sets: &[vk::DescriptorSet],
        offsets: &[u32])
        is cmd_bind_descriptor_sets(point, layout, 0, sets, offsets);

    /// Clips what is drawn next.
    set_scissor(area: vk::Rect2D) is cmd_set_scissor(0, &[area]);

    /// Binds the buffer of vertices of binding 0.
    bind_vertex_buffer(vertices: vk::Buffer) is cmd_bind_vertex_buffers(0, &[vertices], &[0]);

    /// Binds 32-bit indices.
    bind_index_buffer(indices: vk::Buffer) is cmd_bind_index_buffer(indices, 0, vk::IndexType::UINT32);

    /// Draws vertices and instances, each given by the first and their number.
    draw(vertices: (u32, u32), instances: (u32, u32)) is cmd_draw(vertices.1, instances.1, vertices.0, instances.0);

    /// Draws one instance of the vertices of `count` indices from `first` on.
    draw_indexed(first: u32, count: u32) is cmd_draw_indexed(count, 1, first, 0, 0);

    /// Draws with `count` tightly packed `VkDrawIndexedIndirectCommand`s from byte `offset` of `arguments`.
    draw_indexed_indirect(arguments: vk::Buffer, offset: u64, count: u32)
        is cmd_draw_indexed_indirect(arguments, offset, count, size_of::<vk::DrawIndexedIndirectCommand>() as u32);

    /// Writes a timestamp once `stage` of all earlier commands is done.
    write_timestamp(stage: Stage, pool: vk::QueryPool, query: u32) is cmd_write_timestamp2(stage, pool, query);
}

impl Recorder<'_> {
    /// Binds a pipeline with these shaders.
    pub unsafe fn bind_pipeline(&mut self, point: vk::PipelineBindPoint, pipeline: vk::Pipeline, shaders: &[Shader]) {
        self.note_bound(shaders);
        // SAFETY: by the caller.
        unsafe { self.device.cmd_bind_pipeline(self.commands, point, pipeline) };
    }

    /// Sets push constants from byte `offset` on.
    pub unsafe fn push_constants(
        &mut self,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        bytes: &[u8],
    ) {
        self.note_push(offset, bytes);
        // SAFETY: by the caller.
        unsafe { self.device.cmd_push_constants(self.commands, layout, stages, offset, bytes) };
    }

    /// Runs these workgroups of the bound kernel.
    pub unsafe fn dispatch(&mut self, groups: [u32; 3]) {
        self.note_dispatch(1, groups);
        let [x, y, z] = groups;
        // SAFETY: by the caller.
        unsafe { self.device.cmd_dispatch(self.commands, x, y, z) };
    }

    /// The same in parts, each with its first workgroup and its number of them: in the journal they are one dispatch.
    pub unsafe fn dispatch_in_parts(&mut self, parts: impl IntoIterator<Item = ([u32; 3], [u32; 3])>) {
        let (mut dispatches, mut all) = (0, [0; 3]);
        for (first, groups) in parts {
            dispatches += 1;
            all = std::array::from_fn(|axis| all[axis].max(first[axis] + groups[axis]));
            let ([a, b, c], [x, y, z]) = (first, groups);
            // SAFETY: by the caller.
            unsafe { self.device.cmd_dispatch_base(self.commands, a, b, c, x, y, z) };
        }
        self.note_dispatch(dispatches, all);
    }

    /// Begins a rendering with viewport and scissor over all of its area. Passes until its end belong to it. `images`
    /// names its color attachments.
    pub unsafe fn begin_rendering(&mut self, info: &vk::RenderingInfo<'_>, images: &[Resource]) {
        let vk::Extent2D { width, height } = info.render_area.extent;
        let viewport =
            vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..vk::Viewport::default() };
        self.renderings += 1;
        self.rendering = true;
        let color = match info.color_attachment_count {
            0 => &[],
            // SAFETY: by the caller, there are so many.
            count => unsafe { std::slice::from_raw_parts(info.p_color_attachments, count as usize) },
        };
        let attachment = |(of, &image): (&vk::RenderingAttachmentInfo<'_>, &Resource)| Attachment {
            image,
            load: of.load_op,
            store: of.store_op,
        };
        self.attachments.clear();
        self.attachments.extend(color.iter().zip(images).map(attachment));
        // SAFETY: by the caller.
        unsafe {
            self.device.cmd_begin_rendering(self.commands, info);
            self.device.cmd_set_viewport(self.commands, 0, &[viewport]);
            self.device.cmd_set_scissor(self.commands, 0, &[info.render_area]);
        }
    }

    /// Ends the rendering.
    pub unsafe fn end_rendering(&mut self) {
        // SAFETY: by the caller.
        unsafe { self.device.cmd_end_rendering(self.commands) };
        self.rendering = false;
    }
}
