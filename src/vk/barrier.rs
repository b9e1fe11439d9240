//! Dependencies between passes, with the specification's own field names.

use super::image::Image;
use ash::vk;

/// Pipeline stages, as the specification names them.
pub use ash::vk::PipelineStageFlags2 as Stage;

/// Memory accesses, as the specification names them.
pub use ash::vk::AccessFlags2 as Access;

/// Image layouts, as the specification names them.
pub use ash::vk::ImageLayout as Layout;

/// A global memory dependency between the passes before it and the passes after it.
///
/// With both accesses [`Access::NONE`] it orders execution only, which is all that a write-after-read
/// hazard needs.
#[derive(Clone, Copy, Debug)]
pub struct Dependency {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// The resources whose hazard it resolves.
    pub guards: &'static [&'static str],
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Writes of theirs that become available.
    pub src_access: Access,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Accesses of theirs that see those writes.
    pub dst_access: Access,
}

impl Dependency {
    pub(super) fn to_vk(self) -> vk::MemoryBarrier2<'static> {
        vk::MemoryBarrier2::default()
            .src_stage_mask(self.src_stage)
            .src_access_mask(self.src_access)
            .dst_stage_mask(self.dst_stage)
            .dst_access_mask(self.dst_access)
    }
}

/// A dependency that also moves one image from one layout to another.
#[derive(Clone, Copy)]
pub struct ImageDependency<'a> {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// The image.
    pub image: ImageRef<'a>,
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Writes of theirs that become available.
    pub src_access: Access,
    /// Layout before; [`Layout::UNDEFINED`] drops the contents.
    pub old_layout: Layout,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Accesses of theirs that see those writes.
    pub dst_access: Access,
    /// Layout after.
    pub new_layout: Layout,
}

/// An image of ours or one of a swapchain's.
#[derive(Clone, Copy)]
pub struct ImageRef<'a> {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) aspect: vk::ImageAspectFlags,
    /// Its name in the journal.
    pub name: &'a str,
}

impl Image {
    /// This image, for a barrier or an attachment.
    pub fn reference<'a>(&self, name: &'a str) -> ImageRef<'a> {
        ImageRef { raw: self.raw, view: self.view, aspect: self.aspect, name }
    }
}

impl ImageDependency<'_> {
    pub(super) fn to_vk(self) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(self.src_stage)
            .src_access_mask(self.src_access)
            .old_layout(self.old_layout)
            .dst_stage_mask(self.dst_stage)
            .dst_access_mask(self.dst_access)
            .new_layout(self.new_layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.raw)
            .subresource_range(super::image::whole(self.image.aspect))
    }
}
