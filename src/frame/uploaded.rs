//! Frames of a flock that the CPU engine steps: its state is uploaded, and drawn.

use super::default;
use super::words::*;

/// Records the upload of the newest state, if there is one, and its picture.
pub(super) fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    rec.begin_group("picture", None);
    optional::before_steps(rec, view.scene);
    // Before the upload: after it, the dependencies of the clear would chain with that of the upload, and do its work.
    default::clear(rec, &view.picture());
    optional::trails(rec, view.scene, 0);
    for (index, &one) in steps.iter().enumerate() {
        super::record_step(rec, flock, one);
        optional::trails(rec, view.scene, index + 1);
    }
    barrier!(rec, "clear-to-cull", [Raw, Waw], [SAMPLES, MIRROR, DRAW_COMMANDS, TRAIL_COMMANDS],
        (CLEAR, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "cull adds boids to what was cleared, and counts from zero: a clear that comes later would erase some.");
    default::draw(rec, &view.picture());
    super::record_output(rec, flock, view);
}

/// Uploads a state. The host has written it before the submission, which makes it visible to the device. A frame
/// uploads one state, however many steps led to it.
pub(super) fn step(rec: &mut Recorder<'_>, flock: &Flock, uploaded: &Uploaded, step: StepSlot) {
    let cells = uploaded.cells();
    barrier!(rec, "cull-to-upload", [War, PreviousFrame], [STATE], (COMPUTE_SHADER, NONE) => (COPY, NONE),
        relies_on ["overlay-to-frame"],
        "The previous frame's trails are drawn from the state that is replaced here: some would lead to the next \
         frame's boids. overlay-to-frame makes compute shaders wait for them, and the copy waits for compute shaders. \
         (Its cull reads the state too, but its compose-to-copy has ordered that before all later copies.)");
    uploaded.state_upload(rec, flock.state_on_device(), step, uses![copy_from UPLOADED_STATE, copy_to STATE cells]);
    barrier!(rec, "upload-to-cull", [Raw, PreviousFrame], [STATE, CELL_STARTS],
        (COPY, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ), relies_on ["cull-to-draw", "compose-to-copy"],
        "cull reads the state, and the cells for its shadows, in this frame and in later ones without a new state: it \
         would draw the boids of two states. (Trails and a window's copy of the boids read it too: this makes the \
         writes available, and cull-to-draw and compose-to-copy make them visible to those.)");
}
