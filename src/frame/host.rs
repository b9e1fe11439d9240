//! Pictures for the host: bytes of the pixels, or of an image with trails or a cell drawn over it.

use super::words::*;

/// Copies the pixels to the host, without an image.
pub(super) fn pixels(rec: &mut Recorder<'_>, view: &FrameView<'_>, bytes: &Buffer) {
    barrier!(rec, "compose-to-copy", [Raw], [PIXELS, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["upload-to-cull"],
        "The copy reads the pixels that compose wrote: it would have older ones.");
    let uses = uses![copy_from PIXELS, copy_to PICTURE_BYTES];
    rec.pass(&Pass { name: "copy_to_host", stage: Stage::COPY, uses: &uses }, |rec| {
        rec.copy_buffer(&view.canvas.pixels, 0, bytes, 0, bytes.size());
    });
    copy_to_host(rec);
}

/// Draws over the picture in an image, and copies that to the host.
pub(super) fn image(rec: &mut Recorder<'_>, view: &FrameView<'_>, bytes: &Buffer) {
    let image = view.target.image;
    image_barrier!(rec, "host-copy-to-copy", [Layout, War, PreviousFrame], image,
        (COPY, NONE, UNDEFINED) => (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL),
        "The previous frame's copy to the host reads the image that is overwritten here: that would have parts of this \
        one.");
    barrier!(rec, "compose-to-copy", [Raw], [PIXELS, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["upload-to-cull"],
        "The copy reads the pixels that compose wrote: it would have older ones.");
    view.copy_to_image(rec, uses![copy_from PIXELS, copy_to_image image]);
    image_barrier!(rec, "copy-to-overlay", [Layout, Raw, Waw], image, (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) =>
        (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_READ | COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL),
        "Trails are blended with the picture: a later copy would cover them.");
    view.draw_overlay(rec);
    image_barrier!(rec, "picture-to-host-copy", [Layout, Raw], image, (COLOR_ATTACHMENT_OUTPUT,
        COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL) => (COPY, TRANSFER_READ, TRANSFER_SRC_OPTIMAL),
        "The copy to the host reads the picture with all that was drawn over it: some of that would be missing.");
    let uses = uses![copy_from_image image, copy_to PICTURE_BYTES];
    rec.pass(&Pass { name: "copy_to_host", stage: Stage::COPY, uses: &uses }, |rec| {
        rec.copy_image_to_buffer(image, view.target.width, view.target.height, bytes);
    });
    copy_to_host(rec);
}

fn copy_to_host(rec: &mut Recorder<'_>) {
    barrier!(rec, "copy-to-host", [Raw, Host], [PICTURE_BYTES], (COPY, TRANSFER_WRITE) => (HOST, HOST_READ),
        "The host reads the bytes after the frame's fence, which orders the two but makes nothing visible to it: it \
        would read older ones.");
    rec.host_reads(PICTURE_BYTES);
}
