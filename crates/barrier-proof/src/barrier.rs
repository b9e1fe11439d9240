//! Dependencies between passes, with the specification's own field names and with the reason for each.

use crate::Resource;
use ash::vk;
use std::fmt;

/// Pipeline stages, as the specification names them.
pub use ash::vk::PipelineStageFlags2 as Stage;

/// Memory accesses, as the specification names them.
pub use ash::vk::AccessFlags2 as Access;

/// Image layouts, as the specification names them.
pub use ash::vk::ImageLayout as Layout;

/// A hazard between two passes without a dependency, or a party to it other than the same frame's passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Read after write: the reader may see the old value.
    Raw,
    /// Write after read: the reader may see the later value.
    War,
    /// Write after write: the first value may remain.
    Waw,
    /// The image does not have the layout that the next access needs.
    Layout,
    /// The earlier access belongs to the previous frame, or to the previous step of the same frame.
    PreviousFrame,
    /// The other party is the display.
    Display,
    /// The later access is the host's.
    Host,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Hazard::Raw => "RAW",
            Hazard::War => "WAR",
            Hazard::Waw => "WAW",
            Hazard::Layout => "layout",
            Hazard::PreviousFrame => "previous frame or step",
            Hazard::Display => "display",
            Hazard::Host => "host",
        })
    }
}

/// The four masks of a dependency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Their writes that become available.
    pub src_access: Access,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Their accesses to which those writes become visible.
    pub dst_access: Access,
}

/// A global memory dependency between the passes before it and the passes after it.
///
/// With both accesses [`Access::NONE`] it orders only execution, which is sufficient for a write-after-read hazard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// The hazards that it resolves.
    pub hazards: &'static [Hazard],
    /// The resources whose hazards it resolves, in any kind of frame, in groups.
    pub guards: &'static [&'static [Resource]],
    /// Names of dependencies without which this one is not sufficient for what it guards: other links of its chains.
    /// Frames without one of them do not need it. Empty if this one is sufficient by itself.
    pub relies_on: &'static [&'static str],
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Their writes that become available.
    pub src_access: Access,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Their accesses to which those writes become visible.
    pub dst_access: Access,
    /// The reason for it, in a few sentences.
    pub reason: &'static str,
}

/// A dependency with a layout transition of one image.
#[derive(Clone, Copy)]
pub struct ImageDependency {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// The hazards that it resolves.
    pub hazards: &'static [Hazard],
    /// The image.
    pub image: ImageRef,
    /// Names of dependencies without which this one is not sufficient for what it guards: other links of its chains.
    /// Frames without one of them do not need it. Empty if this one is sufficient by itself.
    pub relies_on: &'static [&'static str],
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Their writes that become available.
    pub src_access: Access,
    /// Layout before; [`Layout::UNDEFINED`] discards the contents.
    pub old_layout: Layout,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Their accesses to which those writes become visible.
    pub dst_access: Access,
    /// Layout after.
    pub new_layout: Layout,
    /// The reason for it, in a few sentences.
    pub reason: &'static str,
}

/// An image and a view of it.
#[derive(Clone, Copy)]
pub struct ImageRef {
    /// The image.
    pub raw: vk::Image,
    /// A view of it, for a rendering.
    pub view: vk::ImageView,
    /// Its name in the journal.
    pub resource: Resource,
    /// What of it: its colors, or its depths.
    pub aspect: vk::ImageAspectFlags,
}

impl ImageRef {
    /// An image of colors.
    pub const fn color(raw: vk::Image, view: vk::ImageView, resource: Resource) -> ImageRef {
        ImageRef { raw, view, resource, aspect: vk::ImageAspectFlags::COLOR }
    }
}

impl Dependency {
    /// Its four masks.
    pub fn masks(&self) -> Masks {
        let Dependency { src_stage, src_access, dst_stage, dst_access, .. } = *self;
        Masks { src_stage, src_access, dst_stage, dst_access }
    }
}

impl ImageDependency {
    /// Its four masks.
    pub fn masks(&self) -> Masks {
        let ImageDependency { src_stage, src_access, dst_stage, dst_access, .. } = *self;
        Masks { src_stage, src_access, dst_stage, dst_access }
    }

    pub(crate) fn to_vk(self, masks: Masks) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(masks.src_stage)
            .src_access_mask(masks.src_access)
            .old_layout(self.old_layout)
            .dst_stage_mask(masks.dst_stage)
            .dst_access_mask(masks.dst_access)
            .new_layout(self.new_layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.raw)
            .subresource_range(whole(self.image.aspect))
    }
}

impl Masks {
    pub(crate) fn to_vk(self) -> vk::MemoryBarrier2<'static> {
        vk::MemoryBarrier2::default()
            .src_stage_mask(self.src_stage)
            .src_access_mask(self.src_access)
            .dst_stage_mask(self.dst_stage)
            .dst_access_mask(self.dst_access)
    }
}

/// All levels and layers of an image.
fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    let range = vk::ImageSubresourceRange::default().aspect_mask(aspect);
    range.level_count(vk::REMAINING_MIP_LEVELS).layer_count(vk::REMAINING_ARRAY_LAYERS)
}
