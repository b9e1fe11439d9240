//! Where a frame's picture goes: to the display that its image was acquired from, or to the host.

use crate::render::{Scene, SceneSlot};
use crate::vk::{
    Access, Attachments, Buffer, Dependency, Hazard, ImageDependency, Layout, Panels, Pass, Recorder, Stage, Use,
};

/// What a frame shows, and where it ends up.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// What it is drawn to.
    pub attachments: Attachments,
    /// What is drawn over the picture, if anything.
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

/// The stage in which a submission waits for the image it acquired: nothing touches the image before the resolve,
/// which writes it as a color attachment.
pub const ACQUIRE_STAGE: Stage = Stage::COLOR_ATTACHMENT_OUTPUT;

/// Readies the image that the picture is resolved to.
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
                reason: "The acquire semaphore is waited for at this very stage, and the first scope names it, so the \
                         layout changes only once the display has let go of the image.",
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
            reason: "The frame before has been copied out of the picture.",
        }),
    }
}

/// Hands the picture over.
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
                reason: "The resolved picture, or the panels over it, goes to the display. Presentation waits for a \
                         semaphore, which makes all writes visible to it; the stage named here is one that the \
                         semaphore's signal waits for, and so leads from the change of layout to it. (The specification \
                         has a note that no stage need be named. Older validation layers insist.)",
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
                reason: "The host reads the bytes once it has waited for the frame's fence. The fence alone orders the two, \
                         but does not make the bytes visible to the host.",
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
