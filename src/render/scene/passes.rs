//! The passes of a picture: one method for each, and what each reads and writes.

use super::{Scene, SceneSlot};
use crate::flock::{Flock, Settings};
use crate::limits::{DRAW_FAR, DRAW_NEAR, DRAW_TARGETS};
use crate::render::layout::DrawCommand;
use crate::render::trails::Recording;
use crate::vk::{DescriptorSet, Pass, Recorder, Stage, Use, uses};

impl Scene {
    /// Fills the texture of fish.
    pub fn skin_upload(&self, rec: &mut Recorder<'_>) {
        if let Some(skin) = &self.drawers.skin {
            skin.upload(rec);
        }
    }

    /// Sets every draw to no instances, but the targets' to all of them.
    pub fn draw_reset(&self, rec: &mut Recorder<'_>, flock: &Flock) {
        let reset = reset_commands(self.drawers.draws, flock.settings());
        rec.pass(&DRAW_RESET, |rec| rec.update_buffer(&self.draw_commands, 0, &reset));
    }

    /// Lists the boids that are seen, and counts them into the draws.
    pub fn cull(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&CULL, |rec| {
            rec.bind_compute(&self.cull, &[&self.set], &[slot.offset]);
            rec.dispatch(self.groups);
        });
    }

    /// Draws every boid that `cull` listed: near ones and far ones in one call. Inside of rendering.
    pub fn draw_boids(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        let (skin, observed) = (self.drawers.skin.as_ref(), self.drawers.observed.as_ref());
        let own = skin.map(|skin| &skin.set).into_iter().chain(observed.map(|of| &of.set));
        let sets: Vec<&DescriptorSet> = std::iter::once(&self.set).chain(own).collect();
        let skin_read = if skin.is_some() { SKIN } else { &[] };
        let observed_read = if observed.is_some() { OBSERVED } else { &[] };
        let uses = [MESH, PARAMS, BOID, observed_read, skin_read, OPAQUE].concat();
        rec.pass(&Pass { name: "draw_boids", uses: &uses, ..DRAW }, |rec| {
            rec.bind_graphics(&self.drawers.boids, &sets, &[slot.offset]);
            rec.bind_mesh(&self.drawers.vertices, &self.drawers.indices);
            rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_NEAR), 2);
        });
    }

    /// Draws the targets. Inside of rendering.
    pub fn draw_targets(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&DRAW_TARGETS_PASS, |rec| {
            rec.bind_graphics(&self.drawers.targets, &[&self.set], &[slot.offset]);
            rec.bind_mesh(&self.drawers.vertices, &self.drawers.indices);
            rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_TARGETS), 1);
        });
    }

    /// Draws the trails that `trail_cull` listed. Inside of rendering, after all else, since they blend.
    pub fn draw_trails(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        if let (Some(trails), Some(pipeline)) = (&self.trails, &self.drawers.trails) {
            rec.pass(&DRAW_TRAILS, |rec| {
                rec.bind_graphics(pipeline, &[&trails.set], &[slot.offset]);
                rec.bind_indices(&trails.indices);
                rec.draw_indexed_indirect(&trails.commands, 0, 1);
            });
        }
    }

    /// Draws the edges of the picked cell, if the coloring shows one. Inside of rendering.
    pub fn draw_cell(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        if let Some(pipeline) = &self.drawers.cell {
            rec.pass(&DRAW_CELL, |rec| {
                rec.bind_graphics(pipeline, &[&self.set], &[slot.offset]);
                rec.draw(CELL_VERTICES);
            });
        }
    }

    /// Sets the draw of trails to zero instances.
    pub fn trail_reset(&self, rec: &mut Recorder<'_>) {
        if let Some(trails) = &self.trails {
            trails.reset(rec);
        }
    }

    /// Records where every boid is, for its trail.
    pub fn trail_record(&self, rec: &mut Recorder<'_>, recording: &Recording) {
        if let Some(trails) = &self.trails {
            trails.record(rec, &recording.step);
        }
    }

    /// Lists the trails that may be seen.
    pub fn trail_cull(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        if let Some(trails) = &self.trails {
            trails.cull(rec, slot.offset);
        }
    }

    /// Draws the sky and the sea where nothing else is. Inside of rendering, after everything opaque: that
    /// way only the pixels that show it pay for it.
    pub fn draw_sky(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&DRAW_SKY, |rec| {
            rec.bind_graphics(&self.drawers.sky, &[&self.set], &[slot.offset]);
            rec.draw(3);
        });
    }
}

/// Two boxes of twelve edges of two triangles: see `cell.vert`.
const CELL_VERTICES: u32 = 2 * 12 * 6;

fn command_offset(draw: u32) -> u64 {
    u64::from(draw) * size_of::<DrawCommand>() as u64
}

/// The draws before `cull` has counted. Far boids fill `visible_boids` from its end.
fn reset_commands(mut draws: [DrawCommand; 3], settings: &Settings) -> [DrawCommand; 3] {
    draws[DRAW_FAR as usize].first_instance = settings.boids;
    draws[DRAW_TARGETS as usize].instance_count = settings.targets;
    draws
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const VERTEX: Stage = Stage::VERTEX_SHADER;
const FRAGMENT: Stage = Stage::FRAGMENT_SHADER;

const DRAW_RESET: Pass<'_> = Pass { name: "draw_reset", stage: Stage::CLEAR, uses: &[Use::clear("draw_commands")] };

const CULL: Pass<'_> = Pass {
    name: "cull",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "scene_params"),
        Use::read(COMPUTE, "position_vx"),
        Use::read(COMPUTE, "velocity_yz"),
        Use::read(COMPUTE, "boid_id"),
        Use::read(COMPUTE, "cell_starts"),
        Use::read_write(COMPUTE, "draw_commands"),
        Use::write(COMPUTE, "visible_boids"),
    ],
};

/// The arguments of an indirect draw of meshes, and what it reads of them.
const MESH: &[Use] = &[Use::indirect("draw_commands"), Use::indices("mesh_indices"), Use::vertices("mesh_vertices")];
const PARAMS: &[Use] = &[Use::uniform(VERTEX, "scene_params"), Use::uniform(FRAGMENT, "scene_params")];
/// The boid that an instance is.
const BOID: &[Use] = &[
    Use::read(VERTEX, "visible_boids"),
    Use::read(VERTEX, "position_vx"),
    Use::read(VERTEX, "velocity_yz"),
    Use::read(VERTEX, "boid_id"),
];
/// Its observations, if the coloring shows them.
const OBSERVED: &[Use] = &[Use::read(VERTEX, "observed")];
/// The texture of fish.
const SKIN: &[Use] = &[Use::sampled_image("fish_skin")];
/// The attachments of opaque draws.
const OPAQUE: &[Use] = &[Use::depth_test("depth"), Use::depth_write("depth"), Use::color_write("color")];
/// The attachments of transparent draws.
const SEEN_THROUGH: &[Use] = &[Use::depth_test("depth"), Use::color_write("color")];

const DRAW: Pass<'_> = Pass { name: "", stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &[] };

const DRAW_TARGETS_PASS: Pass<'_> = Pass { name: "draw_targets", uses: uses![MESH, PARAMS, OPAQUE], ..DRAW };

/// `draw_trails` blends, so it reads the color attachment.
const DRAW_TRAILS: Pass<'_> = Pass {
    name: "draw_trails",
    uses: uses![
        PARAMS,
        &[
            Use::indirect("trail_commands"),
            Use::indices("trail_indices"),
            Use::read(VERTEX, "position_vx"),
            Use::read(VERTEX, "velocity_yz"),
            Use::read(VERTEX, "boid_id"),
            Use::read(VERTEX, "trail_list"),
            Use::read(VERTEX, "trail_history"),
            Use::color_read("color"),
        ],
        SEEN_THROUGH,
    ],
    ..DRAW
};

const DRAW_CELL: Pass<'_> = Pass { name: "draw_cell", uses: uses![PARAMS, SEEN_THROUGH], ..DRAW };

const DRAW_SKY: Pass<'_> = Pass { name: "draw_sky", ..DRAW_CELL };
