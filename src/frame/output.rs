//! The output of a frame's picture: to the display that its image was acquired from, or to the host.

use crate::render::{Scene, SceneSlot};
use crate::vk::{
    Access, Attachments, Buffer, Dependency, Hazard, ImageDependency, Layout, Panels, Pass, Recorder, Stage, Use,
};

/// What a frame draws, and its output.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// The attachments that it is drawn to.
    pub attachments: Attachments,
    /// Panels over the picture, if any.
    pub panels: Option<&'a Panels>,
    /// Where the resolved picture goes.
    pub output: Output<'a>,
}

/// Where the resolved picture goes.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// To the window it was acquired from.
    Display,
    /// Into a host-visible buffer, four bytes a pixel.
    Host(&'a Buffer),
}

/// The stage in which a submission waits for the image it acquired: nothing accesses the image before the resolve,
/// which writes it as a color attachment.
pub const ACQUIRE_STAGE: Stage = Stage::COLOR_ATTACHMENT_OUTPUT;

/// Prepares the image that the picture is resolved to.
pub(super) fn record_arrival(rec: &mut Recorder<'_>, target: &Attachments, output: Output<'_>) {
    match output {
        Output::Display => {
            rec.acquires(target.resolve, ACQUIRE_STAGE);
            rec.image_barrier(ImageDependency {
                name: "acquire-to-resolve",
                hazards: &[Hazard::Layout, Hazard::War, Hazard::Display],
                image: target.resolve,
                relies_on: &[],
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::NONE,
                old_layout: Layout::UNDEFINED,
                dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                dst_access: Access::COLOR_ATTACHMENT_WRITE,
                new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                reason: "The submission waits for the acquire semaphore in this stage, and the first scope names it, so \
                         the layout changes only after the display has released the image.",
            });
        }
        Output::Host(_) => rec.image_barrier(ImageDependency {
            name: "copy-to-resolve",
            hazards: &[Hazard::Layout, Hazard::War, Hazard::PreviousFrame],
            image: target.resolve,
            relies_on: &[],
            src_stage: Stage::COPY,
            src_access: Access::NONE,
            old_layout: Layout::UNDEFINED,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_WRITE,
            new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
            reason: "The previous frame's copy reads the picture that is overwritten here.",
        }),
    }
}

/// Records the output of the picture.
pub(super) fn record_departure(rec: &mut Recorder<'_>, target: &Attachments, output: Output<'_>) {
    match output {
        Output::Display => {
            rec.image_barrier(ImageDependency {
                name: "resolve-to-present",
                hazards: &[Hazard::Layout, Hazard::Waw, Hazard::Display],
                image: target.resolve,
                relies_on: &[],
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::COLOR_ATTACHMENT_WRITE,
                old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                dst_access: Access::NONE,
                new_layout: Layout::PRESENT_SRC_KHR,
                reason: "The resolved picture goes to the display, with the panels if there are any. Presentation waits for a \
                         semaphore, which makes all writes visible to it. The semaphore's signal waits for the stage \
                         named here, and so for the layout transition. (By a note in the specification, no stage need \
                         be named. Older validation layers require one.)",
            });
            rec.presents(target.resolve);
        }
        Output::Host(buffer) => {
            rec.image_barrier(ImageDependency {
                name: "resolve-to-copy",
                hazards: &[Hazard::Layout, Hazard::Raw],
                image: target.resolve,
                relies_on: &[],
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::COLOR_ATTACHMENT_WRITE,
                old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_READ,
                new_layout: Layout::TRANSFER_SRC_OPTIMAL,
                reason: "The copy reads what the resolve wrote.",
            });
            rec.pass(&COPY_TO_HOST, |rec| {
                rec.copy_image_to_buffer(target.resolve, target.width, target.height, buffer);
            });
            rec.barrier(Dependency {
                name: "copy-to-host",
                hazards: &[Hazard::Raw, Hazard::Host],
                guards: &["picture_bytes"],
                relies_on: &[],
                src_stage: Stage::COPY,
                src_access: Access::TRANSFER_WRITE,
                dst_stage: Stage::HOST,
                dst_access: Access::HOST_READ,
                reason: "The host reads the bytes after the frame's fence. The fence orders the two, but does not make the \
                         bytes visible to the host.",
            });
            rec.host_reads("picture_bytes");
        }
    }
}

const COPY_TO_HOST: Pass<'_> = Pass {
    name: "copy_to_host",
    stage: Stage::COPY,
    uses: &[Use::copy_from_image("picture"), Use::copy_to("picture_bytes")],
};
