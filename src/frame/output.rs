//! The output of a frame's picture: from its pixels into an image, what is drawn over it there, and from there to the display
//! that the image was acquired from, or to the host.

use super::boid_copy::{BoidCopy, record_boid_copy};
use crate::flock::Flock;
use crate::render::{Canvas, Scene, SceneSlot};
use crate::vk::{
    Access, Buffer, Dependency, Hazard, ImageDependency, ImageRef, Layout, Panels, Pass, Recorder, Stage, Target, Use,
};

/// What a frame draws, and its output.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// Where the picture is made.
    pub canvas: &'a Canvas,
    /// The image that it goes to, as large as the canvas.
    pub target: Target,
    /// Panels over the picture, if any, and the frame slot that they were prepared for.
    pub panels: Option<(&'a Panels, usize)>,
    /// Where the boids are copied to, in a window that looks for some of them.
    pub boids: Option<&'a BoidCopy>,
    /// Where the image goes.
    pub output: Output<'a>,
}

/// Where the image goes.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// To the window it was acquired from.
    Display,
    /// Into a host-visible buffer, four bytes a pixel.
    Host(&'a Buffer),
}

/// The stage in which a submission waits for the image it acquired: nothing accesses the image before the pixels are copied into
/// it.
pub const ACQUIRE_STAGE: Stage = Stage::COPY;

/// Records the way of the pixels to their output.
pub(super) fn record_output(rec: &mut Recorder<'_>, flock: &Flock, view: &FrameView<'_>) {
    let image = view.target.image;
    // Pixels for the host need no image, unless something is drawn over them.
    let direct = if let (Output::Host(bytes), false) = (view.output, view.draws_over()) { Some(bytes) } else { None };
    if direct.is_none() {
        record_arrival(rec, image, view.output);
    }
    rec.barrier(Dependency {
        name: "compose-to-copy",
        hazards: &[Hazard::Raw],
        guards: &["pixels", "position_vx", "velocity_yz", "boid_id"],
        relies_on: &["upload-to-cull"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_READ,
        reason: "The copies read the pixels that compose wrote and, where a window looks for boids, the state that steer wrote. (A \
                 state that was uploaded has been made available by upload-to-cull.)",
    });
    if let Some(bytes) = direct {
        let uses = [Use::copy_from("pixels"), Use::copy_to("picture_bytes")];
        rec.pass(&Pass { uses: &uses, ..COPY_TO_HOST }, |rec| {
            rec.copy_buffer(&view.canvas.pixels, 0, bytes, 0, bytes.size());
        });
        return hand_over(rec);
    }
    copy_to_image(rec, &view.canvas.pixels, &view.target);
    if let Some(copy) = view.boids {
        record_boid_copy(rec, flock, copy);
    }
    if view.draws_over() {
        record_overlay(rec, &view.target, |rec| {
            // Rasterization order applies, so the attachment needs no dependency between the draws of one rendering.
            view.scene.draw_trails(rec, view.canvas, view.slot, &view.target);
            view.scene.draw_cell(rec, view.canvas, view.slot, &view.target);
            if let Some((panels, slot)) = view.panels {
                panels.draw(rec, slot, &view.target);
            }
        });
    }
    record_departure(rec, &view.target, view.output, view.draws_over());
}

/// Records a frame without a flock, for a window that is starting: `pixels`, which were uploaded before, and panels over them. Its
/// dependencies are those of the ordinary frame's output.
pub fn record_starting_frame(rec: &mut Recorder<'_>, pixels: &Buffer, target: &Target, panels: (&Panels, usize)) {
    record_arrival(rec, target.image, Output::Display);
    copy_to_image(rec, pixels, target);
    record_overlay(rec, target, |rec| panels.0.draw(rec, panels.1, target));
    record_departure(rec, target, Output::Display, true);
}

/// Copies the pixels into the image.
fn copy_to_image(rec: &mut Recorder<'_>, pixels: &Buffer, target: &Target) {
    let &Target { image, width, height } = target;
    let uses = [Use::copy_from("pixels"), Use::copy_to_image(image.name)];
    rec.pass(&Pass { name: "copy_to_image", stage: Stage::COPY, uses: &uses }, |rec| {
        rec.copy_buffer_to_whole_image(pixels, image, width, height);
    });
}

/// Prepares the image that the pixels are copied to.
fn record_arrival(rec: &mut Recorder<'_>, image: ImageRef, output: Output<'_>) {
    match output {
        Output::Display => {
            rec.acquires(image, ACQUIRE_STAGE);
            rec.image_barrier(ImageDependency {
                name: "acquire-to-copy",
                hazards: &[Hazard::Layout, Hazard::War, Hazard::Display],
                image,
                relies_on: &[],
                src_stage: Stage::COPY,
                src_access: Access::NONE,
                old_layout: Layout::UNDEFINED,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_WRITE,
                new_layout: Layout::TRANSFER_DST_OPTIMAL,
                reason: "The submission waits for the acquire semaphore in this stage, and the first scope names it, so \
                         the layout changes only after the display has released the image.",
            });
        }
        Output::Host(_) => rec.image_barrier(ImageDependency {
            name: "host-copy-to-copy",
            hazards: &[Hazard::Layout, Hazard::War, Hazard::PreviousFrame],
            image,
            relies_on: &[],
            src_stage: Stage::COPY,
            src_access: Access::NONE,
            old_layout: Layout::UNDEFINED,
            dst_stage: Stage::COPY,
            dst_access: Access::TRANSFER_WRITE,
            new_layout: Layout::TRANSFER_DST_OPTIMAL,
            reason: "The previous frame's copy to the host reads the image that is overwritten here.",
        }),
    }
}

/// Draws over the picture: trails, a cell's edges and panels.
fn record_overlay(rec: &mut Recorder<'_>, target: &Target, draw: impl FnOnce(&mut Recorder<'_>)) {
    rec.image_barrier(ImageDependency {
        name: "copy-to-overlay",
        hazards: &[Hazard::Layout, Hazard::Raw, Hazard::Waw],
        image: target.image,
        relies_on: &[],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        old_layout: Layout::TRANSFER_DST_OPTIMAL,
        dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
        dst_access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
        reason: "What is drawn over the picture is blended with it.",
    });
    rec.rendering_over(target, draw);
}

/// Records the output of the image.
fn record_departure(rec: &mut Recorder<'_>, target: &Target, output: Output<'_>, drawn_over: bool) {
    let &Target { image, width, height } = target;
    // What wrote the image last.
    let (src_stage, src_access, old_layout) = match drawn_over {
        true => (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE, Layout::COLOR_ATTACHMENT_OPTIMAL),
        false => (Stage::COPY, Access::TRANSFER_WRITE, Layout::TRANSFER_DST_OPTIMAL),
    };
    match output {
        Output::Display => {
            rec.image_barrier(ImageDependency {
                name: "picture-to-present",
                hazards: &[Hazard::Layout, Hazard::Waw, Hazard::Display],
                image,
                relies_on: &[],
                src_stage,
                src_access,
                old_layout,
                dst_stage: src_stage,
                dst_access: Access::NONE,
                new_layout: Layout::PRESENT_SRC_KHR,
                reason: "The picture goes to the display, with all that was drawn over it. Presentation waits for a \
                         semaphore, which makes all writes visible to it. The semaphore's signal waits for the stage \
                         named here, and so for the layout transition. (By a note in the specification, no stage need \
                         be named. Older validation layers require one.)",
            });
            rec.presents(image);
        }
        Output::Host(buffer) => {
            rec.image_barrier(ImageDependency {
                name: "picture-to-host-copy",
                hazards: &[Hazard::Layout, Hazard::Raw],
                image,
                relies_on: &[],
                src_stage,
                src_access,
                old_layout,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_READ,
                new_layout: Layout::TRANSFER_SRC_OPTIMAL,
                reason: "The copy to the host reads the picture, with all that was drawn over it.",
            });
            let uses = [Use::copy_from_image(image.name), Use::copy_to("picture_bytes")];
            rec.pass(&Pass { uses: &uses, ..COPY_TO_HOST }, |rec| {
                rec.copy_image_to_buffer(image, width, height, buffer);
            });
            hand_over(rec);
        }
    }
}

/// Makes the copy visible to the host.
fn hand_over(rec: &mut Recorder<'_>) {
    rec.barrier(Dependency {
        name: "copy-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &["picture_bytes"],
        relies_on: &[],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "The host reads the bytes after the frame's fence. The fence orders the two, but does not make the bytes visible \
                 to the host.",
    });
    rec.host_reads("picture_bytes");
}

impl FrameView<'_> {
    /// Whether anything is drawn over the composed picture.
    fn draws_over(&self) -> bool {
        self.scene.draws_over() || self.panels.is_some()
    }
}

const COPY_TO_HOST: Pass<'_> = Pass { name: "copy_to_host", stage: Stage::COPY, uses: &[] };
