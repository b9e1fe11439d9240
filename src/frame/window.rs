//! Frames of windows that are not the default frame: without anything over the picture, and before there is a flock.

use super::Overlay;
use super::view::copy_to_image;
use super::words::*;
use crate::vk::Target;

/// The stage in which a submission waits for the image it acquired: nothing accesses the image before the pixels are
/// copied into it.
pub const ACQUIRE_STAGE: Stage = Stage::COPY;

/// From the pixels into the acquired image, and to the display: as in the default frame, but without an overlay.
pub(super) fn display_bare(rec: &mut Recorder<'_>, flock: &Flock, view: &FrameView<'_>) {
    let image = view.target.image;
    rec.acquires(image, ACQUIRE_STAGE);
    image_barrier!(rec, "acquire-to-copy", [Layout, War, Display], image,
        (COPY, NONE, UNDEFINED) => (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL),
        "The copy needs this layout, once COPY has waited for the acquire: the picture would be undefined, or torn.");
    barrier!(rec, "compose-to-copy", [Raw], [PIXELS, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["upload-to-cull"],
        "The copy reads the pixels (and the state, if the window looks for boids): it would show older ones.");
    view.copy_to_image(rec, uses![copy_from PIXELS, copy_to_image image]);
    optional::boid_copy(rec, flock, view);
    image_barrier!(rec, "picture-to-present", [Layout, Waw, Display], image,
        (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) => (NONE, NONE, PRESENT_SRC_KHR),
        "The display needs this layout, after the copy: what it shows would be undefined. A semaphore does the rest.");
    rec.presents(image);
}

/// Records a frame without a flock, for a window that is starting: `pixels`, which were uploaded before, and an
/// overlay.
pub fn record_starting_frame(
    rec: &mut Recorder<'_>,
    pixels: &Buffer,
    target: &Target,
    (overlay, slot): (&dyn Overlay, usize),
) {
    let image = target.image;
    rec.acquires(image, ACQUIRE_STAGE);
    image_barrier!(rec, "acquire-to-copy", [Layout, War, Display], image,
        (COPY, NONE, UNDEFINED) => (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL),
        "The copy needs this layout, once COPY has waited for the acquire: the picture would be undefined, or torn.");
    copy_to_image(rec, pixels, target, uses![copy_from PIXELS, copy_to_image image]);
    image_barrier!(rec, "copy-to-overlay", [Layout, Raw, Waw], image, (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) =>
        (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_READ | COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL),
        "Panels are blended with the picture: a later copy would cover them.");
    rec.rendering_over(target, |rec| overlay.draw(rec, slot, target));
    image_barrier!(rec, "picture-to-present", [Layout, Waw, Display], image, (COLOR_ATTACHMENT_OUTPUT,
        COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL) => (NONE, NONE, PRESENT_SRC_KHR),
        "The display needs this layout, after the draws: what it shows would be undefined. A semaphore does the rest.");
    rec.presents(image);
}
