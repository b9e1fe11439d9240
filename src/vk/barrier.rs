//! Dependencies between passes, with the specification's own field names and with the reason for each.

use ash::vk;
use std::fmt;

/// Pipeline stages, as the specification names them.
pub use ash::vk::PipelineStageFlags2 as Stage;

/// Memory accesses, as the specification names them.
pub use ash::vk::AccessFlags2 as Access;

/// Image layouts, as the specification names them.
pub use ash::vk::ImageLayout as Layout;

/// What goes wrong between two passes without a dependency, and whether both are passes of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Read after write: the reader may see what was there before.
    Raw,
    /// Write after read: the reader may see what was not there yet.
    War,
    /// Write after write: the first may win.
    Waw,
    /// The image lies in another layout than the next access needs.
    Layout,
    /// The earlier side belongs to the frame before.
    PreviousFrame,
    /// The other side is the display.
    Display,
    /// The later side is the host.
    Host,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Hazard::Raw => "RAW",
            Hazard::War => "WAR",
            Hazard::Waw => "WAW",
            Hazard::Layout => "layout",
            Hazard::PreviousFrame => "previous frame",
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
    /// Writes of theirs that become available.
    pub src_access: Access,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Accesses of theirs that see those writes.
    pub dst_access: Access,
}

/// A global memory dependency between the passes before it and the passes after it.
///
/// With both accesses [`Access::NONE`] it orders execution only, which is all that a write-after-read
/// hazard needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// What would go wrong without it.
    pub hazards: &'static [Hazard],
    /// The resources whose hazard it resolves, of all that frames of any kind have.
    pub guards: &'static [&'static str],
    /// Names of dependencies without which this one would not be enough for what it guards: other links of its chains. Frames
    /// that lack one of them do without. Empty where it is enough by itself.
    pub relies_on: &'static [&'static str],
    /// Stages that must finish first.
    pub src_stage: Stage,
    /// Writes of theirs that become available.
    pub src_access: Access,
    /// Stages that wait.
    pub dst_stage: Stage,
    /// Accesses of theirs that see those writes.
    pub dst_access: Access,
    /// Why it is there, in a sentence or two.
    pub reason: &'static str,
}

/// A dependency that also moves one image from one layout to another.
#[derive(Clone, Copy)]
pub struct ImageDependency {
    /// Its name, `producer-to-consumer`.
    pub name: &'static str,
    /// What would go wrong without it.
    pub hazards: &'static [Hazard],
    /// The image.
    pub image: ImageRef,
    /// Names of dependencies without which this one would not be enough for what it guards: other links of its chains. Frames
    /// that lack one of them do without. Empty where it is enough by itself.
    pub relies_on: &'static [&'static str],
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
    /// Why it is there, in a sentence or two.
    pub reason: &'static str,
}

/// An image of ours or one of a swapchain's.
#[derive(Clone, Copy)]
pub struct ImageRef {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) aspect: vk::ImageAspectFlags,
    /// Its name in the journal.
    pub name: &'static str,
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

    pub(super) fn to_vk(self, masks: Masks) -> vk::ImageMemoryBarrier2<'static> {
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
    pub(super) fn to_vk(self) -> vk::MemoryBarrier2<'static> {
        vk::MemoryBarrier2::default()
            .src_stage_mask(self.src_stage)
            .src_access_mask(self.src_access)
            .dst_stage_mask(self.dst_stage)
            .dst_access_mask(self.dst_access)
    }
}

/// All levels of the one layer our images have.
pub(super) fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(vk::REMAINING_MIP_LEVELS).layer_count(1)
}
