//! The one place that records commands.
//!
//! A recorder is a thin hand on one command buffer: passes get a debug label and two timestamps, every
//! dependency is given by the caller and written exactly as given, and on request a journal notes all of it.

use super::barrier::{Dependency, ImageDependency, ImageRef, Layout, Masks, Stage};
use super::buffer::Buffer;
use super::descriptors::DescriptorSet;
use super::device::Device;
use super::dispatch::{fold_groups, slices};
use super::fault::Fault;
use super::journal::{DependencyEntry, Journal, JournalEntry, PassEntry};
use super::pass::{Pass, Use};
use super::pipeline::{ComputePipeline, GraphicsPipeline};
use super::timestamps::SlotTimestamps;
use crate::error::Result;
use ash::vk;
use bytemuck::Pod;
use std::ffi::CString;

/// What a recording does besides recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordOptions<'a> {
    /// Keep a [`Journal`].
    pub journal: bool,
    /// Build these faults into what is recorded, to show what a dependency is for.
    pub faults: &'a [Fault],
}

/// What a frame draws to.
#[derive(Clone, Copy)]
pub struct Attachments {
    /// Multisampled color, dropped after the resolve.
    pub color: ImageRef,
    /// Multisampled depth, dropped after the draws.
    pub depth: ImageRef,
    /// Where the samples are averaged to.
    pub resolve: ImageRef,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Linear color to clear to.
    pub clear: [f32; 4],
}

/// Records one command buffer.
pub struct Recorder<'a> {
    pub(super) device: &'a Device,
    pub(super) commands: vk::CommandBuffer,
    timestamps: Option<&'a mut SlotTimestamps>,
    journal: Option<Journal>,
    faults: &'a [Fault],
    /// Renderings begun so far, and whether the last is still open.
    renderings: u32,
    rendering: bool,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        device: &'a Device,
        commands: vk::CommandBuffer,
        timestamps: Option<&'a mut SlotTimestamps>,
        options: RecordOptions<'a>,
    ) -> Self {
        let journal = options.journal.then(Journal::default);
        let faults = options.faults;
        Recorder { device, commands, timestamps, journal, faults, renderings: 0, rendering: false }
    }

    /// Ends the recording and hands out the journal, if one was kept.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device ran out of memory meanwhile.
    pub fn finish(self) -> Result<Option<Journal>> {
        // SAFETY: the commands are being recorded.
        unsafe { self.device.raw.end_command_buffer(self.commands) }
            .map_err(|r| self.device.error("vkEndCommandBuffer", "frame", r))?;
        Ok(self.journal)
    }

    /// Records a pass: its label and timestamps around what `body` records.
    pub fn pass(&mut self, pass: &Pass<'_>, body: impl FnOnce(&mut Self)) {
        self.plant_before(pass.name);
        let rendering = self.rendering.then_some(self.renderings);
        self.note(|| {
            JournalEntry::Pass(PassEntry { name: pass.name, uses: pass.uses.to_vec(), rendering, dispatches: 0 })
        });
        self.begin_label(pass.name);
        let query = self.timestamps.as_mut().and_then(|stamps| stamps.begin(self.commands, pass.name, pass.stage));
        body(self);
        if let (Some(query), Some(stamps)) = (query, self.timestamps.as_mut()) {
            stamps.end(self.commands, query, pass.stage);
        }
        self.end_label();
    }

    /// Records a memory dependency.
    pub fn barrier(&mut self, dependency: Dependency) {
        self.barriers(&[dependency]);
    }

    /// Records memory dependencies as one command. They do not build upon each other.
    pub fn barriers(&mut self, dependencies: &[Dependency]) {
        let mut barriers = Vec::new();
        for (at, dependency) in dependencies.iter().enumerate() {
            let recorded = self.masks(dependency.name, dependency.masks());
            let same_command = at > 0;
            self.note(|| {
                JournalEntry::Dependency(DependencyEntry {
                    name: dependency.name,
                    hazards: dependency.hazards,
                    guards: dependency.guards.to_vec(),
                    relies_on: dependency.relies_on,
                    masks: recorded.unwrap_or(dependency.masks()),
                    layouts: None,
                    reason: dependency.reason,
                    same_command,
                    omitted: recorded.is_none(),
                })
            });
            barriers.extend(recorded.map(Masks::to_vk));
        }
        if !barriers.is_empty() {
            let info = vk::DependencyInfo::default().memory_barriers(&barriers);
            // SAFETY: the commands are being recorded outside of rendering.
            unsafe { self.device.raw.cmd_pipeline_barrier2(self.commands, &info) };
        }
    }

    /// Records an image's dependency and change of layout.
    pub fn image_barrier(&mut self, dependency: ImageDependency) {
        let recorded = self.masks(dependency.name, dependency.masks());
        self.note(|| {
            JournalEntry::Dependency(DependencyEntry {
                name: dependency.name,
                hazards: dependency.hazards,
                guards: vec![dependency.image.name],
                relies_on: dependency.relies_on,
                masks: recorded.unwrap_or(dependency.masks()),
                layouts: Some((dependency.old_layout, dependency.new_layout)),
                reason: dependency.reason,
                same_command: false,
                omitted: recorded.is_none(),
            })
        });
        if let Some(masks) = recorded {
            let barriers = [dependency.to_vk(masks)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            // SAFETY: the commands are being recorded outside of rendering; the image is alive.
            unsafe { self.device.raw.cmd_pipeline_barrier2(self.commands, &info) };
        }
    }

    /// Notes that the submission of these commands waits, in `stage`, until the display has let go of `image`. The
    /// submission does so, not a command: [`SubmitInfo`](super::SubmitInfo) is given the same stage.
    pub fn acquires(&mut self, image: ImageRef, stage: Stage) {
        self.note(|| JournalEntry::Acquire { image: image.name, stage });
    }

    /// Notes that the display takes `image` once these commands are done.
    pub fn presents(&mut self, image: ImageRef) {
        self.note(|| JournalEntry::Present { image: image.name });
    }

    /// Notes that the host reads `buffer` once it has waited for these commands.
    pub fn host_reads(&mut self, buffer: &'static str) {
        self.note(|| JournalEntry::HostRead { buffer });
    }

    fn note(&mut self, entry: impl FnOnce() -> JournalEntry) {
        if let Some(journal) = &mut self.journal {
            journal.entries.push(entry());
        }
    }

    /// What the faults leave of a dependency.
    fn masks(&self, name: &str, masks: Masks) -> Option<Masks> {
        self.faults.iter().try_fold(masks, |masks, fault| fault.apply(name, masks))
    }

    fn plant_before(&mut self, pass: &str) {
        let faults = self.faults;
        for fault in faults {
            if let Fault::Plant { before, dependency } = fault
                && before == pass
                && !self.rendering
            {
                self.barrier(*dependency);
            }
        }
    }

    /// Fills a buffer with a repeated word.
    pub fn fill_buffer(&mut self, buffer: &Buffer, word: u32) {
        // SAFETY: the buffer is alive until the frame's fence; the range is all of it.
        unsafe { self.device.raw.cmd_fill_buffer(self.commands, buffer.raw, 0, vk::WHOLE_SIZE, word) };
    }

    /// Copies `data`, at most 64 KiB of whole words, into a buffer as part of the commands.
    pub fn update_buffer<T: Pod>(&mut self, buffer: &Buffer, offset: u64, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        debug_assert!(bytes.len() <= 65_536 && bytes.len().is_multiple_of(4) && offset.is_multiple_of(4));
        // SAFETY: the buffer is alive until the frame's fence; size and alignment are as asserted.
        unsafe { self.device.raw.cmd_update_buffer(self.commands, buffer.raw, offset, bytes) };
    }

    /// Copies `size` bytes from one buffer to another.
    pub fn copy_buffer(&mut self, from: &Buffer, from_offset: u64, to: &Buffer, to_offset: u64, size: u64) {
        let region = [vk::BufferCopy::default().src_offset(from_offset).dst_offset(to_offset).size(size)];
        // SAFETY: both buffers are alive until the frame's fence.
        unsafe { self.device.raw.cmd_copy_buffer(self.commands, from.raw, to.raw, &region) };
    }

    /// Copies a whole image, which lies in [`Layout::TRANSFER_SRC_OPTIMAL`], tightly packed into a buffer.
    pub fn copy_image_to_buffer(&mut self, from: ImageRef, width: u32, height: u32, to: &Buffer) {
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(from.aspect).layer_count(1);
        let region = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        })];
        let layout = Layout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: both are alive until the frame's fence; the buffer was made for this size.
        unsafe { self.device.raw.cmd_copy_image_to_buffer(self.commands, from.raw, layout, to.raw, &region) };
    }

    /// Fills the levels of a square image, which lies in [`Layout::TRANSFER_DST_OPTIMAL`], from a buffer: of each, where
    /// it begins there, and how many texels its edge has.
    pub fn copy_buffer_to_image(&mut self, from: &Buffer, to: ImageRef, levels: &[(u64, u32)]) {
        let regions: Vec<_> = levels
            .iter()
            .zip(0..)
            .map(|(&(offset, edge), level)| {
                let layers =
                    vk::ImageSubresourceLayers::default().aspect_mask(to.aspect).mip_level(level).layer_count(1);
                let extent = vk::Extent3D { width: edge, height: edge, depth: 1 };
                vk::BufferImageCopy::default().buffer_offset(offset).image_subresource(layers).image_extent(extent)
            })
            .collect();
        let layout = Layout::TRANSFER_DST_OPTIMAL;
        // SAFETY: both are alive until the frame's fence; the buffer was made for these levels.
        unsafe { self.device.raw.cmd_copy_buffer_to_image(self.commands, from.raw, to.raw, layout, &regions) };
    }

    /// Binds a kernel and its descriptor sets; `offsets` belong to the sets' dynamic uniform buffers.
    pub fn bind_compute(&mut self, pipeline: &ComputePipeline, sets: &[&DescriptorSet], offsets: &[u32]) {
        let point = vk::PipelineBindPoint::COMPUTE;
        let sets: Vec<_> = sets.iter().map(|set| set.raw).collect();
        // SAFETY: pipeline and sets are alive until the frame's fence and fit each other.
        unsafe {
            self.device.raw.cmd_bind_pipeline(self.commands, point, pipeline.raw);
            self.device.raw.cmd_bind_descriptor_sets(self.commands, point, pipeline.layout, 0, &sets, offsets);
        }
    }

    /// Sets the bound kernel's push constants.
    pub fn push_compute<T: Pod>(&mut self, pipeline: &ComputePipeline, value: &T) {
        let (stages, bytes) = (vk::ShaderStageFlags::COMPUTE, bytemuck::bytes_of(value));
        // SAFETY: the pipeline's layout was made with this range.
        unsafe { self.device.raw.cmd_push_constants(self.commands, pipeline.layout, stages, 0, bytes) };
    }

    /// Runs `groups` workgroups of the bound kernel. More than fit into one dimension are folded into two, and
    /// the kernels guard the surplus of the last row.
    pub fn dispatch(&mut self, groups: u64) {
        let (x, y) = fold_groups(groups);
        self.note_dispatch();
        // SAFETY: a kernel and its sets are bound; both dimensions are within the guaranteed limit.
        unsafe { self.device.raw.cmd_dispatch(self.commands, x, y, 1) };
    }

    /// The same, with no more than `most` workgroups in one dispatch, as far as 65,535 dispatches go. The bound kernel was
    /// made [for slices](ComputePipeline::for_slices).
    pub fn dispatch_in_slices(&mut self, groups: u64, most: u64) {
        if groups <= most {
            return self.dispatch(groups);
        }
        self.device.instance.messages().expect_slices();
        for slice in slices(groups, most) {
            self.note_dispatch();
            // SAFETY: a kernel that was made for it and its sets are bound; first and last row and the columns are
            // within the guaranteed limit.
            unsafe {
                self.device.raw.cmd_dispatch_base(self.commands, 0, slice.first_row, 0, slice.columns, slice.rows, 1);
            }
        }
    }

    fn note_dispatch(&mut self) {
        if let Some(JournalEntry::Pass(pass)) = self.journal.as_mut().and_then(|journal| journal.entries.last_mut()) {
            pass.dispatches += 1;
        }
    }

    /// Draws what `body` records into the attachments. They are cleared first, in a pass of its own, and their samples
    /// are resolved at the end, in another.
    pub fn rendering(&mut self, to: &Attachments, body: impl FnOnce(&mut Self)) {
        let area =
            vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: to.width, height: to.height } };
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(to.color.view)
            .image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(to.resolve.view)
            .resolve_image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: to.clear } })];
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

    /// Draws what `body` records over what lies in the resolved picture already, without depth or samples.
    pub fn rendering_over(&mut self, to: &Attachments, body: impl FnOnce(&mut Self)) {
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(to.resolve.view)
            .image_layout(Layout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area =
            vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: to.width, height: to.height } };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&color);
        // SAFETY: the attachment is alive until the frame's fence and in the layout named above.
        unsafe { self.device.raw.cmd_begin_rendering(self.commands, &info) };
        body(self);
        // SAFETY: begun above.
        unsafe { self.device.raw.cmd_end_rendering(self.commands) };
    }

    /// Binds a graphics pipeline and its descriptor sets; `offsets` belong to dynamic uniform buffers.
    pub fn bind_graphics(&mut self, pipeline: &GraphicsPipeline, sets: &[&DescriptorSet], offsets: &[u32]) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        let sets: Vec<_> = sets.iter().map(|set| set.raw).collect();
        // SAFETY: pipeline and sets are alive until the frame's fence and fit each other.
        unsafe {
            self.device.raw.cmd_bind_pipeline(self.commands, point, pipeline.raw);
            self.device.raw.cmd_bind_descriptor_sets(self.commands, point, pipeline.layout, 0, &sets, offsets);
        }
    }

    /// Sets the push constants of both stages of the bound graphics pipeline.
    pub fn push_graphics<T: Pod>(&mut self, pipeline: &GraphicsPipeline, value: &T) {
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let bytes = bytemuck::bytes_of(value);
        // SAFETY: the pipeline's layout was made with this range.
        unsafe { self.device.raw.cmd_push_constants(self.commands, pipeline.layout, stages, 0, bytes) };
    }

    /// Binds the vertices and 32-bit indices of a mesh.
    pub fn bind_mesh(&mut self, vertices: &Buffer, indices: &Buffer) {
        // SAFETY: both buffers are alive until the frame's fence.
        unsafe {
            self.device.raw.cmd_bind_vertex_buffers(self.commands, 0, &[vertices.raw], &[0]);
            self.device.raw.cmd_bind_index_buffer(self.commands, indices.raw, 0, vk::IndexType::UINT32);
        }
    }

    /// Binds the 32-bit indices of a mesh whose vertices the shader makes up.
    pub fn bind_indices(&mut self, indices: &Buffer) {
        // SAFETY: the buffer is alive until the frame's fence.
        unsafe { self.device.raw.cmd_bind_index_buffer(self.commands, indices.raw, 0, vk::IndexType::UINT32) };
    }

    /// Draws `vertices` vertices without a vertex buffer.
    pub fn draw(&mut self, vertices: u32) {
        // SAFETY: a pipeline without vertex input is bound, inside of rendering.
        unsafe { self.device.raw.cmd_draw(self.commands, vertices, 1, 0, 0) };
    }

    /// Draws with `count` tightly packed `VkDrawIndexedIndirectCommand`s from byte `offset` of `arguments`.
    pub fn draw_indexed_indirect(&mut self, arguments: &Buffer, offset: u64, count: u32) {
        let stride = size_of::<vk::DrawIndexedIndirectCommand>() as u32;
        // SAFETY: a pipeline and its mesh are bound, inside of rendering; the arguments lie in the buffer.
        unsafe { self.device.raw.cmd_draw_indexed_indirect(self.commands, arguments.raw, offset, count, stride) };
    }

    fn begin_label(&self, name: &str) {
        if let (Some(debug), Ok(name)) = (&self.device.debug, CString::new(name)) {
            let label = vk::DebugUtilsLabelEXT::default().label_name(&name);
            // SAFETY: the commands are being recorded.
            unsafe { debug.cmd_begin_debug_utils_label(self.commands, &label) };
        }
    }

    fn end_label(&self) {
        if let Some(debug) = &self.device.debug {
            // SAFETY: begun by `begin_label` on the same commands.
            unsafe { debug.cmd_end_debug_utils_label(self.commands) };
        }
    }
}
