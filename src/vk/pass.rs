//! Passes, and how each accesses its resources.

use super::barrier::{Access, Layout, Stage};

/// A named part of the frame, with the resources that it accesses.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// Its name: also that of its kernel, label and timestamps.
    pub name: &'static str,
    /// The stage its work runs in, which its timestamps wait for.
    pub stage: Stage,
    /// Its accesses.
    pub uses: &'a [Use],
}

/// One kind of access of a pass to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The buffer or image.
    pub resource: &'static str,
    /// The stage of the pipeline. If there are several, the access may be in any of them.
    pub stage: Stage,
    /// The kind of access.
    pub access: Access,
    /// The layout that an image must have; `None` for a buffer.
    pub layout: Option<Layout>,
}

impl Use {
    /// A uniform buffer. The host writes it before the submission, which makes such writes visible.
    pub const fn uniform(stage: Stage, resource: &'static str) -> Use {
        Use::buffer(resource, stage, Access::UNIFORM_READ)
    }

    /// A storage buffer that a shader reads.
    pub const fn read(stage: Stage, resource: &'static str) -> Use {
        Use::buffer(resource, stage, Access::SHADER_STORAGE_READ)
    }

    /// A storage buffer that a shader writes.
    pub const fn write(stage: Stage, resource: &'static str) -> Use {
        Use::buffer(resource, stage, Access::SHADER_STORAGE_WRITE)
    }

    /// A storage buffer that a shader reads and writes, in place or by atomics.
    pub const fn read_write(stage: Stage, resource: &'static str) -> Use {
        let both = Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw();
        Use::buffer(resource, stage, Access::from_raw(both))
    }

    /// A buffer that is filled or updated by a command.
    pub const fn clear(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::CLEAR, Access::TRANSFER_WRITE)
    }

    /// A buffer that an indirect draw takes its arguments from.
    pub const fn indirect(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ)
    }

    /// A buffer of vertices.
    pub const fn vertices(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::VERTEX_ATTRIBUTE_INPUT, Access::VERTEX_ATTRIBUTE_READ)
    }

    /// A buffer of indices.
    pub const fn indices(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::INDEX_INPUT, Access::INDEX_READ)
    }

    /// A buffer that is copied from.
    pub const fn copy_from(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::COPY, Access::TRANSFER_READ)
    }

    /// A buffer that is copied to.
    pub const fn copy_to(resource: &'static str) -> Use {
        Use::buffer(resource, Stage::COPY, Access::TRANSFER_WRITE)
    }

    /// An image that is copied from.
    pub const fn copy_from_image(resource: &'static str) -> Use {
        Use::image(resource, Stage::COPY, Access::TRANSFER_READ, Layout::TRANSFER_SRC_OPTIMAL)
    }

    /// An image that is copied to.
    pub const fn copy_to_image(resource: &'static str) -> Use {
        Use::image(resource, Stage::COPY, Access::TRANSFER_WRITE, Layout::TRANSFER_DST_OPTIMAL)
    }

    /// An image that the fragment shader samples.
    pub const fn sampled_image(resource: &'static str) -> Use {
        let (stage, access) = (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ);
        Use::image(resource, stage, access, Layout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// A color attachment that is written.
    pub const fn color_write(resource: &'static str) -> Use {
        Use::color(resource, Access::COLOR_ATTACHMENT_WRITE)
    }

    /// A color attachment that is loaded or blended into.
    pub const fn color_read(resource: &'static str) -> Use {
        Use::color(resource, Access::COLOR_ATTACHMENT_READ)
    }

    /// A sampled image that no frame writes, already in the right layout.
    pub const fn sampled(stage: Stage, resource: &'static str) -> Use {
        Use::buffer(resource, stage, Access::SHADER_SAMPLED_READ)
    }

    const fn color(resource: &'static str, access: Access) -> Use {
        Use::image(resource, Stage::COLOR_ATTACHMENT_OUTPUT, access, Layout::COLOR_ATTACHMENT_OPTIMAL)
    }

    const fn buffer(resource: &'static str, stage: Stage, access: Access) -> Use {
        Use { resource, stage, access, layout: None }
    }

    const fn image(resource: &'static str, stage: Stage, access: Access, layout: Layout) -> Use {
        Use { resource, stage, access, layout: Some(layout) }
    }

    /// Whether it reads.
    pub fn reads(&self) -> bool {
        !WRITES.contains(self.access)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.access.intersects(WRITES)
    }

    /// Whether it is an access of rasterization to an attachment. Within one rendering those are in order.
    pub fn is_attachment(&self) -> bool {
        self.access.intersects(ATTACHMENTS)
    }
}

const ATTACHMENTS: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_READ.as_raw() | Access::COLOR_ATTACHMENT_WRITE.as_raw());

/// The accesses of passes that write.
const WRITES: Access = Access::from_raw(
    Access::SHADER_STORAGE_WRITE.as_raw() | Access::TRANSFER_WRITE.as_raw() | Access::COLOR_ATTACHMENT_WRITE.as_raw(),
);
