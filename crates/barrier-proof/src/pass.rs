//! Passes, and how each accesses its resources.

use crate::{Access, Layout, Resource, Stage, stages};

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

/// A part of a resource: bytes of a buffer, or subresources of an image in any order that the program numbers them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first.
    pub from: u64,
    /// The one after the last.
    pub to: u64,
}

impl Part {
    /// All of it.
    pub const WHOLE: Part = Part { from: 0, to: u64::MAX };

    /// Whether something is in both.
    pub fn meets(self, other: Part) -> bool {
        self.from < other.to && other.from < self.to
    }

    /// Whether all of another part is in this one.
    pub fn covers(self, other: Part) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// One kind of access of a pass to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The buffer or image.
    pub resource: Resource,
    /// The stage of the pipeline. If there are several, the access may be in any of them.
    pub stage: Stage,
    /// The kind of access.
    pub access: Access,
    /// The layout that an image must have; `None` for a buffer.
    pub layout: Option<Layout>,
    /// What of the resource is accessed. Layouts and their transitions are of the whole.
    pub part: Part,
}

impl Use {
    /// A uniform buffer. The host writes it before the submission, which makes such writes visible.
    pub const fn uniform(stage: Stage, resource: Resource) -> Use {
        Use::buffer(resource, stage, Access::UNIFORM_READ)
    }

    /// A storage buffer that a shader reads.
    pub const fn read(stage: Stage, resource: Resource) -> Use {
        Use::buffer(resource, stage, Access::SHADER_STORAGE_READ)
    }

    /// A storage buffer that a shader writes.
    pub const fn write(stage: Stage, resource: Resource) -> Use {
        Use::buffer(resource, stage, Access::SHADER_STORAGE_WRITE)
    }

    /// A storage buffer that a shader reads and writes, in place or by atomics.
    pub const fn read_write(stage: Stage, resource: Resource) -> Use {
        let both = Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw();
        Use::buffer(resource, stage, Access::from_raw(both))
    }

    /// A buffer that is filled or updated by a command.
    pub const fn clear(resource: Resource) -> Use {
        Use::buffer(resource, Stage::CLEAR, Access::TRANSFER_WRITE)
    }

    /// A buffer that an indirect draw takes its arguments from.
    pub const fn indirect(resource: Resource) -> Use {
        Use::buffer(resource, Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ)
    }

    /// A buffer of vertices.
    pub const fn vertices(resource: Resource) -> Use {
        Use::buffer(resource, Stage::VERTEX_ATTRIBUTE_INPUT, Access::VERTEX_ATTRIBUTE_READ)
    }

    /// A buffer of indices.
    pub const fn indices(resource: Resource) -> Use {
        Use::buffer(resource, Stage::INDEX_INPUT, Access::INDEX_READ)
    }

    /// A buffer that is copied from.
    pub const fn copy_from(resource: Resource) -> Use {
        Use::buffer(resource, Stage::COPY, Access::TRANSFER_READ)
    }

    /// A buffer that is copied to.
    pub const fn copy_to(resource: Resource) -> Use {
        Use::buffer(resource, Stage::COPY, Access::TRANSFER_WRITE)
    }

    /// An image that is copied from.
    pub const fn copy_from_image(resource: Resource) -> Use {
        Use::image(resource, Stage::COPY, Access::TRANSFER_READ, Layout::TRANSFER_SRC_OPTIMAL)
    }

    /// An image that is copied to.
    pub const fn copy_to_image(resource: Resource) -> Use {
        Use::image(resource, Stage::COPY, Access::TRANSFER_WRITE, Layout::TRANSFER_DST_OPTIMAL)
    }

    /// An image that the fragment shader samples.
    pub const fn sampled_image(resource: Resource) -> Use {
        let (stage, access) = (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ);
        Use::image(resource, stage, access, Layout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// A color attachment that is written.
    pub const fn color_write(resource: Resource) -> Use {
        Use::color(resource, Access::COLOR_ATTACHMENT_WRITE)
    }

    /// A color attachment that is loaded or blended into.
    pub const fn color_read(resource: Resource) -> Use {
        Use::color(resource, Access::COLOR_ATTACHMENT_READ)
    }

    /// A depth attachment that is tested and written.
    pub const fn depth(resource: Resource) -> Use {
        let stage = Stage::EARLY_FRAGMENT_TESTS.as_raw() | Stage::LATE_FRAGMENT_TESTS.as_raw();
        let access = Access::DEPTH_STENCIL_ATTACHMENT_READ.as_raw() | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw();
        Use::image(resource, Stage::from_raw(stage), Access::from_raw(access), Layout::DEPTH_ATTACHMENT_OPTIMAL)
    }

    /// A sampled image that no frame writes, already in the right layout.
    pub const fn sampled(stage: Stage, resource: Resource) -> Use {
        Use::buffer(resource, stage, Access::SHADER_SAMPLED_READ)
    }

    /// The same of only a part of the resource, up to the last before `to`.
    #[must_use]
    pub const fn within(self, from: u64, to: u64) -> Use {
        Use { part: Part { from, to }, ..self }
    }

    const fn color(resource: Resource, access: Access) -> Use {
        Use::image(resource, Stage::COLOR_ATTACHMENT_OUTPUT, access, Layout::COLOR_ATTACHMENT_OPTIMAL)
    }

    const fn buffer(resource: Resource, stage: Stage, access: Access) -> Use {
        Use { resource, stage, access, layout: None, part: Part::WHOLE }
    }

    const fn image(resource: Resource, stage: Stage, access: Access, layout: Layout) -> Use {
        Use { resource, stage, access, layout: Some(layout), part: Part::WHOLE }
    }

    /// Whether it reads.
    pub fn reads(&self) -> bool {
        !stages::writes().contains(self.access)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.access.intersects(stages::writes())
    }

    /// Whether it is an access of rasterization to an attachment. Within one rendering those are in order.
    pub fn is_attachment(&self) -> bool {
        self.access.intersects(ATTACHMENTS)
    }
}

/// The accesses of rasterization to attachments.
const ATTACHMENTS: Access = Access::from_raw(
    Access::COLOR_ATTACHMENT_READ.as_raw()
        | Access::COLOR_ATTACHMENT_WRITE.as_raw()
        | Access::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
        | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
);
