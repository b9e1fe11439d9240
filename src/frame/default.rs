//! The default frame on one page: a step by counting sort, the picture of the flock, and its way to the display.
//!
//! A pass is a line; `uses!` names what it reads and writes, besides parameters that the host wrote before submission.
//! A barrier makes commands after it wait for commands before it, and covers all memory. In order: its name, hazards,
//! the buffers that no other barrier would protect (in any kind of frame), stages and accesses that finish => those
//! that wait, barriers that it builds on, and the damage without it. A first stage includes those before it in the
//! pipeline. NONE before =>: no writes, or only ones available already; after =>: order is enough. Raw, War, Waw: read
//! after write, write after read, write after write. PreviousFrame: one of the two is of an earlier step or frame;
//! Host, Display: of these; Layout: the image changes it. Barriers in one `barriers!` do not chain. STATE is position,
//! velocity and id, SORTED the same in cell order. `optional` is for some flocks and styles only; it and all names that
//! are not on this page are in files beside it.

use super::words::*;

pub(super) fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    optional::before_steps(rec, view.scene);
    for (index, &step) in steps.iter().enumerate() {
        super::record_step(rec, flock, step);
        optional::trails(rec, view.scene, index + 1);
    }
    super::begin_picture(rec, flock, steps);
    clear(rec, &view.picture());
    barriers!(rec, { "steer-to-cull", [Raw], [STATE, BEHAVIOR],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "cull reads the state that steer and transition wrote: boids would be drawn where they were a step ago."
    }, { "clear-to-cull", [Raw, Waw], [SAMPLES, MIRROR, DRAW_COMMANDS, TRAIL_COMMANDS],
        (CLEAR, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "cull adds boids to what was cleared, and counts from zero: a clear that comes later would erase some." });
    draw(rec, &view.picture());
    super::record_output(rec, flock, view);
}

pub(super) fn step(rec: &mut Recorder<'_>, flock: &Flock, sorted: &CountingSorted, step: StepSlot) {
    let (scan, quantized) = (&sorted.scan, sorted.quantized);
    barrier!(rec, "downsweep-to-clear", [War, PreviousFrame], [CELL_COUNTS], (COMPUTE_SHADER, NONE) => (CLEAR, NONE),
        "The previous step's scan reads the counts: if zeroed meanwhile, cells would start too early, and overlap.");
    sorted.grid_clear(rec, uses![clear CELL_COUNTS]);
    barriers!(rec, { "clear-to-count", [Raw, Waw], [CELL_COUNTS],
        (CLEAR, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "The atomics add to zeros: a late clear would lose boids, and give two the same rank."
    }, { "steer-to-count", [Raw, PreviousFrame], [POSITION_VX],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "The previous step moved the boids: they would be counted in cells that they have left." });
    sorted.grid_count.record(rec, step, uses![read POSITION_VX, write CELL_RANK, read_write CELL_COUNTS]);
    barrier!(rec, "count-to-reduce", [Raw], [CELL_COUNTS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "The scan reads the counts that the atomics wrote: a missing boid would shift all later cells.");
    scan.reduce.record(rec, step, uses![read CELL_COUNTS, write BLOCK_SUMS BLOCK_CROWDING]);
    barrier!(rec, "reduce-to-spine", [Raw, Waw, PreviousFrame], [BLOCK_SUMS, OBSERVED],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "The spine scans sums in place: late ones would make blocks overlap. Late OBSERVED would replace this step's.");
    scan.spine.record(rec, step, uses![read_write BLOCK_SUMS]);
    barrier!(rec, "spine-to-downsweep", [Raw], [BLOCK_SUMS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "Each block continues from the sum of those before it: from its own sum, it would overlap another.");
    scan.downsweep.record(rec, step, uses![read CELL_COUNTS BLOCK_SUMS BLOCK_CROWDING, write CELL_STARTS CROWDING]);
    barrier!(rec, "downsweep-to-list", [Raw], [CELL_STARTS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "A boid is listed at its cell's start plus its rank: with an old start, it would be listed in another cell.");
    sorted.sort_list.record(rec, step, uses![read BOID_ID CELL_RANK CELL_STARTS, write CELL_MEMBERS]);
    barrier!(rec, "list-to-scatter", [Raw], [CELL_MEMBERS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "A boid goes after those of its cell with lower ids: with an old list, two would get the same place.");
    sorted.sort_scatter(rec, step, uses![read STATE CELL_STARTS CELL_MEMBERS, write SORTED quantized]);
    barrier!(rec, "scatter-to-steer", [Raw, War], [SORTED, SORTED_QUANTIZED, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "steer reads the sorted copy and overwrites what scatter reads: boids would be lost, doubled or unseen.");
    optional::before_steer(rec, flock, &sorted.steering, step);
    sorted.steering.steer(rec, step, uses![read SORTED CELL_STARTS quantized, write STATE]);
}

pub(super) fn end_steps(rec: &mut Recorder<'_>) {
    barrier!(rec, "crowding-to-host", [Raw, Host], [CROWDING], (COMPUTE_SHADER, NONE) => (HOST, HOST_READ),
        relies_on ["downsweep-to-list"], "The host reads how full cells are, after the fence, to split dispatches: it \
        would read old numbers. downsweep-to-list made the writes available, but visible only to shaders.");
    rec.host_reads(CROWDING);
}

pub(super) fn clear(rec: &mut Recorder<'_>, picture: &Picture<'_>) {
    let mirror = picture.mirror_image();
    barrier!(rec, "compose-to-clear", [War, PreviousFrame], [SAMPLES, MIRROR, DRAW_COMMANDS, TRAIL_COMMANDS],
        (COMPUTE_SHADER, NONE) => (CLEAR, NONE), relies_on ["overlay-to-frame"],
        "The previous frame's cull and draws use what is cleared, and compose reads it: its picture would have holes.");
    picture.samples_clear(rec, uses![clear SAMPLES mirror]);
    picture.draw_reset(rec, uses![clear DRAW_COMMANDS]);
    picture.scene.trail_reset(rec);
}

pub(super) fn draw(rec: &mut Recorder<'_>, picture: &Picture<'_>) {
    let mirror = picture.mirror_image();
    optional::before_cull(rec, picture);
    picture.cull(rec, uses![read FIGURE STATE CELL_STARTS, read_write DRAW_COMMANDS SAMPLES, write VISIBLE_BOIDS]);
    picture.mirror(rec, uses![read STATE, read_write MIRROR]);
    barrier!(rec, "cull-to-draw", [Raw, Waw], [VISIBLE_BOIDS, DRAW_COMMANDS, SAMPLES, MIRROR, STATE, TRAILS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (DRAW_INDIRECT | VERTEX_SHADER | FRAGMENT_SHADER,
        INDIRECT_COMMAND_READ | SHADER_STORAGE_READ | SHADER_STORAGE_WRITE), relies_on ["upload-to-cull",
        "draw-to-compose"], "Draws and (by draw-to-compose) compose need what these wrote: meshes would be lost.");
    let drawn = uses![indirect DRAW_COMMANDS, indices MESH_INDICES, vertices MESH_VERTICES, vertex_read VISIBLE_BOIDS,
        vertex_sampled CLIPS, fragment_read_write SAMPLES];
    picture.draw_boids(rec, drawn);
    optional::after_draw(rec, picture);
    let to_compose = dependency!("draw-to-compose", [Raw, War, PreviousFrame], [SAMPLES, VISIBLE_BOIDS, MIRROR],
        (FRAGMENT_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ), relies_on ["cull-to-draw"],
        "compose reads the samples of the draws, and the next cull overwrites their list: meshes would be lost.");
    optional::barrier_of_samples(rec, picture, to_compose);
    barrier!(rec, "copy-to-compose", [War, PreviousFrame], [PIXELS], (COPY, NONE) => (COMPUTE_SHADER, NONE),
        "The previous frame copies the pixels that are overwritten here: its picture would have parts of this one.");
    picture.compose(rec, uses![read SAMPLES mirror, write PIXELS]);
}

pub(super) fn display(rec: &mut Recorder<'_>, flock: &Flock, view: &FrameView<'_>) {
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
    image_barrier!(rec, "copy-to-overlay", [Layout, Raw, Waw], image, (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) =>
        (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_READ | COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL),
        "Panels are blended with the picture: a later copy would cover them.");
    view.draw_overlay(rec);
    image_barrier!(rec, "picture-to-present", [Layout, Waw, Display], image, (COLOR_ATTACHMENT_OUTPUT,
        COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL) => (NONE, NONE, PRESENT_SRC_KHR),
        "The display needs this layout, after the draws: what it shows would be undefined. A semaphore does the rest.");
    rec.presents(image);
}
