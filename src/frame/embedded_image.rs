//! Pictures for a program that embeds the frame, in an image of its own.

use super::view::ImageUse;
use super::words::*;
use crate::vk::{Access, Hazard, ImageDependency, Layout};

/// From the pixels into the image, and on to the program.
pub(super) fn image(rec: &mut Recorder<'_>, view: &FrameView<'_>, to: ImageUse) {
    let image = view.target.image;
    rec.image_barrier(ImageDependency {
        name: "embedder-to-copy",
        hazards: &[Hazard::Layout, Hazard::War, Hazard::PreviousFrame],
        image,
        relies_on: &[],
        src_stage: to.stage,
        src_access: Access::NONE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_WRITE,
        new_layout: Layout::TRANSFER_DST_OPTIMAL,
        reason: "The program reads the previous picture, which is overwritten here: that would have parts of this one.",
    });
    barrier!(rec, "compose-to-copy", [Raw], [PIXELS, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["upload-to-cull"],
        "The copy reads the pixels that compose wrote: it would have older ones.");
    view.copy_to_image(rec, uses![copy_from PIXELS, copy_to_image image]);
    let (src_stage, src_access, old_layout) = if view.draws_over() {
        image_barrier!(rec, "copy-to-overlay", [Layout, Raw, Waw], image,
            (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) =>
            (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_READ | COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL),
            "Trails are blended with the picture: a later copy would cover them.");
        view.draw_overlay(rec);
        (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE, Layout::COLOR_ATTACHMENT_OPTIMAL)
    } else {
        (Stage::COPY, Access::TRANSFER_WRITE, Layout::TRANSFER_DST_OPTIMAL)
    };
    rec.image_barrier(ImageDependency {
        name: "picture-to-embedder",
        hazards: &[Hazard::Layout, Hazard::Raw],
        image,
        relies_on: &[],
        src_stage,
        src_access,
        old_layout,
        dst_stage: to.stage,
        dst_access: to.access,
        new_layout: to.layout,
        reason: "The program reads the picture in a layout of its own: some of it would be missing.",
    });
}
