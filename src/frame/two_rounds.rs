//! The second round of a picture on a device without 64-bit atomics: the first has found the nearest depth of each
//! sample, this one finds its color. See `glsl/include/samples.glsl`.

use super::words::*;

/// Culls and draws again, for colors.
pub(super) fn colors(rec: &mut Recorder<'_>, picture: &Picture<'_>) {
    let picture = Picture { round: 1, ..*picture };
    barrier!(rec, "depths-to-colors", [Raw, War, Waw], [SAMPLES, DRAW_COMMANDS, VISIBLE_BOIDS],
        (FRAGMENT_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        relies_on ["cull-to-draw"],
        "The second round finds colors at the depths that the first has found, and looks up whether the list is full: \
         surfaces without their depth would have no color. cull-to-draw has made the first cull's writes available.");
    picture.cull(rec, uses![read FIGURE STATE CELL_STARTS, read_write DRAW_COMMANDS SAMPLES, write VISIBLE_BOIDS]);
    barrier!(rec, "cull-to-draw", [Raw, Waw], [VISIBLE_BOIDS, DRAW_COMMANDS, SAMPLES, MIRROR, STATE, TRAILS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE)
            => (DRAW_INDIRECT | VERTEX_SHADER | FRAGMENT_SHADER,
                INDIRECT_COMMAND_READ | SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        relies_on ["upload-to-cull", "draw-to-compose", "depths-to-colors"],
        "The second draw meets the samples and the list that the second cull wrote.");
    picture.draw_boids(
        rec,
        uses![indirect DRAW_COMMANDS, indices MESH_INDICES, vertices MESH_VERTICES,
        vertex_read VISIBLE_BOIDS, vertex_sampled CLIPS, fragment_read_write SAMPLES],
    );
    optional::after_draw(rec, &picture);
}
