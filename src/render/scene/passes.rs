//! The passes of a picture: one method for each, and what each reads and writes.

use super::{Scene, SceneSlot, Scenery};
use crate::limits::{COMPOSE_TILE, DRAW_NEAR, DRAW_TARGETS, MIRROR_BOIDS, WORKGROUP_SIZE};
use crate::render::Canvas;
use crate::render::layout::DrawCommand;
use crate::render::trails::Recording;
use crate::vk::{DescriptorSet, Pass, Recorder, Stage, Target, Use};

impl Scene {
    /// Counts the boids by the values that their colors show, if the range of colors is fitted to the flock.
    pub fn value_histogram(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        if let Some(values) = &self.values {
            values.record(rec, slot.index, (&self.set, slot.offsets[0]), self.addresses.as_ref());
        }
    }

    /// Fills the texture of fish.
    pub fn skin_upload(&self, rec: &mut Recorder<'_>) {
        if let Some(skin) = &self.drawers.skin {
            skin.upload(rec);
        }
    }

    /// Empties all samples, and the mirror image of the flock.
    pub fn samples_clear(&self, rec: &mut Recorder<'_>, canvas: &Canvas) {
        let mirror = self.mirrors();
        let uses = [Use::clear("samples"), Use::clear("mirror")];
        rec.pass(&Pass { uses: &uses[..if mirror { 2 } else { 1 }], ..SAMPLES_CLEAR }, |rec| {
            rec.fill_buffer(&canvas.samples, 0);
            if mirror {
                rec.fill_buffer(&canvas.mirror, 0);
            }
        });
    }

    /// Finds how much of its mirror image in the sea the flock covers, before a backdrop with a sea.
    pub fn mirror(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot) {
        let Some(mirror) = &self.drawers.mirror else { return };
        rec.pass(&MIRROR, |rec| {
            rec.bind_compute(mirror, &[&self.set, &canvas.set], &[slot.offsets[0]]);
            if let Some(addresses) = &self.addresses {
                rec.push_compute(mirror, addresses);
            }
            let stride = self.boids.div_ceil(MIRROR_BOIDS);
            rec.dispatch(self.boids.div_ceil(stride).div_ceil(WORKGROUP_SIZE).into());
        });
    }

    /// Sets the draw of boids to no instances, and that of targets to all of them.
    pub fn draw_reset(&self, rec: &mut Recorder<'_>) {
        let mut reset = self.drawers.draws;
        reset[DRAW_TARGETS as usize].instance_count = self.targets;
        let draws = if self.has_targets() { &reset[..] } else { &reset[..1] };
        rec.pass(&DRAW_RESET, |rec| rec.update_buffer(&self.draw_commands, 0, draws));
    }

    /// Lists the near boids, and draws the others that are seen into the samples.
    pub fn cull(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot, round: usize) {
        let observed = if self.drawers.observed { OBSERVED } else { &[] };
        let volumes = if self.drawers.meshes { VOLUMES } else { &[] };
        let behaves = if self.drawers.behaves { BEHAVIOR } else { &[] };
        rec.pass(&Pass { uses: &[CULL.uses, observed, volumes, behaves].concat(), ..CULL }, |rec| {
            let (cull, sets) = (&self.drawers.cull, [&self.set, &canvas.set, &self.drawers.figure_set]);
            rec.bind_compute(cull, &sets, &[slot.offsets[round]]);
            if let Some(addresses) = &self.addresses {
                rec.push_compute(cull, addresses);
            }
            rec.dispatch(self.groups());
        });
    }

    /// Draws the boids that `cull` listed. Inside of a rendering without attachments.
    pub fn draw_boids(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot, round: usize) {
        let skin = self.drawers.skin.as_ref();
        let sets: Vec<&DescriptorSet> =
            [&self.set, &canvas.set, &self.drawers.clips.set].into_iter().chain(skin.map(|skin| &skin.set)).collect();
        let uses = [MESH, PARAMS, LISTED, CLIPS, if skin.is_some() { SKIN } else { &[] }, SAMPLES].concat();
        rec.pass(&Pass { name: "draw_boids", uses: &uses, ..DRAW }, |rec| {
            rec.bind_graphics(&self.drawers.boids, &sets, &[slot.offsets[round]]);
            rec.bind_mesh(&self.drawers.vertices, &self.drawers.indices);
            rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_NEAR), 1);
        });
    }

    /// Draws a part of the scenery in a round of the picture. Inside of a rendering without attachments.
    pub fn draw_scenery(
        &self,
        rec: &mut Recorder<'_>,
        canvas: &Canvas,
        slot: SceneSlot,
        (part, round): (Scenery, usize),
    ) {
        let (sets, offsets) = ([&self.set, &canvas.set], [slot.offsets[round]]);
        match part {
            Scenery::Targets => rec.pass(&DRAW_TARGETS_PASS, |rec| {
                rec.bind_graphics(&self.drawers.targets, &sets, &offsets);
                rec.bind_mesh(&self.drawers.vertices, &self.drawers.indices);
                rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_TARGETS), 1);
            }),
            Scenery::Obstacles(draw) => {
                let meshes = if self.drawers.meshes { OBSTACLE_MESHES } else { &[] };
                let uses = [DRAW_OBSTACLES.uses, meshes].concat();
                rec.pass(&Pass { uses: &uses, ..DRAW_OBSTACLES }, |rec| {
                    let pipeline = self.drawers.obstacles.as_ref().expect("a scene with obstacles");
                    rec.bind_graphics(pipeline, &sets, &offsets);
                    rec.draw_from(draw.vertices, draw.instances);
                });
            }
        }
    }

    /// Makes the pixels of the samples, and of the background.
    pub fn compose(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot) {
        let tiles = |pixels: u32| u64::from(pixels.div_ceil(COMPOSE_TILE));
        let mirror = if self.mirrors() { MIRRORED } else { &[] };
        rec.pass(&Pass { uses: &[COMPOSE.uses, mirror].concat(), ..COMPOSE }, |rec| {
            rec.bind_compute(&self.drawers.compose, &[&self.set, &canvas.set], &[slot.offsets[0]]);
            let (across, down) = canvas.blocks();
            rec.dispatch(tiles(across) * tiles(down));
        });
    }

    /// Draws the trails that `trail_cull` listed. Inside of a rendering over the picture, after all else, since they blend.
    pub fn draw_trails(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot, over: &Target) {
        if let (Some(trails), Some(pipeline)) = (&self.trails, &self.drawers.trails) {
            let uses = [TRAIL, PARAMS, &blended(over)].concat();
            rec.pass(&Pass { name: "draw_trails", uses: &uses, ..DRAW_OVER }, |rec| {
                rec.bind_graphics(pipeline, &[&trails.set, &canvas.set], &[slot.offsets[0]]);
                rec.bind_indices(&trails.indices);
                rec.draw_indexed_indirect(&trails.commands, 0, 1);
            });
        }
    }

    /// Draws the edges of the picked cell, if the coloring shows one. Inside of a rendering over the picture.
    pub fn draw_cell(&self, rec: &mut Recorder<'_>, canvas: &Canvas, slot: SceneSlot, over: &Target) {
        if let Some(pipeline) = &self.drawers.cell {
            let uses = [PARAMS, &blended(over)].concat();
            rec.pass(&Pass { name: "draw_cell", uses: &uses, ..DRAW_OVER }, |rec| {
                rec.bind_graphics(pipeline, &[&self.set, &canvas.set], &[slot.offsets[0]]);
                rec.draw(CELL_VERTICES, 1);
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
            trails.cull(rec, slot.offsets[0]);
        }
    }
}

/// Two boxes of twelve edges of two triangles: see `cell.vert`.
const CELL_VERTICES: u32 = 2 * 12 * 6;

fn command_offset(draw: u32) -> u64 {
    u64::from(draw) * size_of::<DrawCommand>() as u64
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const VERTEX: Stage = Stage::VERTEX_SHADER;
const FRAGMENT: Stage = Stage::FRAGMENT_SHADER;

const SAMPLES_CLEAR: Pass<'_> = Pass { name: "samples_clear", stage: Stage::CLEAR, uses: &[] };

const DRAW_RESET: Pass<'_> = Pass { name: "draw_reset", stage: Stage::CLEAR, uses: &[Use::clear("draw_commands")] };

const CULL: Pass<'_> = Pass {
    name: "cull",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "scene_params"),
        Use::read(COMPUTE, "far_frames"),
        Use::read(COMPUTE, "far_triangles"),
        Use::read(COMPUTE, "position_vx"),
        Use::read(COMPUTE, "velocity_yz"),
        Use::read(COMPUTE, "boid_id"),
        Use::read(COMPUTE, "cell_starts"),
        Use::read_write(COMPUTE, "draw_commands"),
        Use::write(COMPUTE, "visible_boids"),
        Use::read_write(COMPUTE, "samples"),
    ],
};

const MIRROR: Pass<'_> = Pass {
    name: "mirror",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "scene_params"),
        Use::read(COMPUTE, "position_vx"),
        Use::read(COMPUTE, "velocity_yz"),
        Use::read(COMPUTE, "boid_id"),
        Use::read_write(COMPUTE, "mirror"),
    ],
};

/// The mirror image of the flock, before a backdrop with a sea.
const MIRRORED: &[Use] = &[Use::read(COMPUTE, "mirror")];

/// The observations of each boid, if the coloring shows them.
const OBSERVED: &[Use] = &[Use::read(COMPUTE, "observed")];

/// The states of the boids, if they have any.
const BEHAVIOR: &[Use] = &[Use::read(COMPUTE, "behavior")];

const COMPOSE: Pass<'_> = Pass {
    name: "compose",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "scene_params"), Use::read(COMPUTE, "samples"), Use::write(COMPUTE, "pixels")],
};

/// The arguments of an indirect draw of meshes, and what it reads of them.
const MESH: &[Use] = &[Use::indirect("draw_commands"), Use::indices("mesh_indices"), Use::vertices("mesh_vertices")];
const PARAMS: &[Use] = &[Use::uniform(VERTEX, "scene_params"), Use::uniform(FRAGMENT, "scene_params")];
/// The boid that an instance is.
const LISTED: &[Use] = &[Use::read(VERTEX, "visible_boids")];
/// The texture of clips.
const CLIPS: &[Use] = &[Use::sampled(VERTEX, "clips")];
/// The texture of fish.
const SKIN: &[Use] = &[Use::sampled_image("fish_skin")];
/// What solid surfaces are put into.
const SAMPLES: &[Use] = &[Use::read_write(FRAGMENT, "samples")];

const DRAW: Pass<'_> = Pass { name: "", stage: FRAGMENT, uses: &[] };

const DRAW_TARGETS_PASS: Pass<'_> =
    Pass { name: "draw_targets", uses: &[MESH[0], MESH[1], MESH[2], PARAMS[0], PARAMS[1], SAMPLES[0]], ..DRAW };

const DRAW_OBSTACLES: Pass<'_> = Pass { name: "draw_obstacles", uses: &[PARAMS[0], PARAMS[1], SAMPLES[0]], ..DRAW };

/// What obstacles that are meshes are drawn from, and the distances by which they take light.
const OBSTACLE_MESHES: &[Use] = &[Use::read(VERTEX, "obstacle_triangles"), Use::read(FRAGMENT, "obstacle_volumes")];
/// The same distances, for the light on boids.
const VOLUMES: &[Use] = &[Use::read(COMPUTE, "obstacle_volumes")];

const DRAW_OVER: Pass<'_> = Pass { name: "", stage: Stage::COLOR_ATTACHMENT_OUTPUT, uses: &[] };

/// The arguments of the draw of trails, and what it reads of them.
const TRAIL: &[Use] = &[
    Use::indirect("trail_commands"),
    Use::indices("trail_indices"),
    Use::read(VERTEX, "position_vx"),
    Use::read(VERTEX, "velocity_yz"),
    Use::read(VERTEX, "boid_id"),
    Use::read(VERTEX, "trail_list"),
    Use::read(VERTEX, "trail_history"),
];

/// What a draw over the picture looks up, and blends with.
fn blended(over: &Target) -> [Use; 3] {
    let image = over.image.name;
    [Use::read(FRAGMENT, "samples"), Use::color_read(image), Use::color_write(image)]
}
