//! The passes of a picture: one method for each. What a pass reads and writes stands where the frame calls it; what it
//! uses besides, because of a look or an obstacle, stands here.

use super::{ObstacleDraw, Scene, SceneSlot};
use crate::flock::buffers::{BEHAVIOR, OBSERVED, OBSTACLE_VOLUMES, STATE};
use crate::limits::{COMPOSE_TILE, DRAW_NEAR, DRAW_TARGETS, MIRROR_BOIDS, WORKGROUP_SIZE};
use crate::render::Canvas;
use crate::render::layout::DrawCommand;
use crate::render::resources::{
    FISH_SKIN, MIRROR, OBSTACLE_TRIANGLES, SAMPLES, SCENE_PARAMS, TRAIL_COMMANDS, TRAIL_HISTORY, TRAIL_INDICES,
    TRAIL_LIST,
};
use crate::render::trails::Recording;
use crate::vk::{DescriptorSet, Pass, Recorder, Resource, Stage, Target, Uses, uses};

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const FRAGMENT: Stage = Stage::FRAGMENT_SHADER;
const OVER: Stage = Stage::COLOR_ATTACHMENT_OUTPUT;

/// Two boxes of twelve edges of two triangles: see `cell.vert`.
const CELL_VERTICES: u32 = 2 * 12 * 6;

/// A picture that a frame makes: what draws it, where, and by which parameters.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// Where the picture is made.
    pub canvas: &'a Canvas,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// 0, but for the second round of a device without 64-bit atomics.
    pub round: usize,
}

impl Picture<'_> {
    /// The flock's mirror image in a sea, if the backdrop has one.
    pub fn mirror_image(&self) -> Option<Resource> {
        self.scene.mirrors().then_some(MIRROR)
    }

    /// Empties all samples, and the mirror image of the flock.
    pub fn samples_clear(&self, rec: &mut Recorder<'_>, uses: Uses) {
        rec.pass(&Pass { name: "samples_clear", stage: Stage::CLEAR, uses: &uses }, |rec| {
            rec.fill_buffer(&self.canvas.samples, 0);
            if self.scene.mirrors() {
                rec.fill_buffer(&self.canvas.mirror, 0);
            }
        });
    }

    /// Sets the draw of boids to no instances, and that of targets to all of them.
    pub fn draw_reset(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let mut reset = self.scene.drawers.draws;
        reset[DRAW_TARGETS as usize].instance_count = self.scene.targets;
        let draws = if self.scene.has_targets() { &reset[..] } else { &reset[..1] };
        let pass = Pass { name: "draw_reset", stage: Stage::CLEAR, uses: &uses };
        rec.pass(&pass, |rec| rec.update_buffer(&self.scene.draw_commands, 0, draws));
    }

    /// Lists the near boids, and draws the others that are seen into the samples.
    pub fn cull(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let drawers = &self.scene.drawers;
        let observed = drawers.observed.then_some(OBSERVED);
        let volumes = drawers.meshes.then_some(OBSTACLE_VOLUMES);
        let behavior = drawers.behaves.then_some(BEHAVIOR);
        let uses = uses![uniform SCENE_PARAMS].and(&uses).and(&uses![read observed volumes behavior]);
        rec.pass(&Pass { name: "cull", stage: COMPUTE, uses: &uses }, |rec| {
            rec.bind_compute(&drawers.cull, &[&self.scene.set, &self.canvas.set, &drawers.figure_set], &self.offset());
            if let Some(addresses) = &self.scene.addresses {
                rec.push_compute(&drawers.cull, addresses);
            }
            rec.dispatch(self.scene.groups());
        });
    }

    /// Finds how much of its mirror image in the sea the flock covers, before a backdrop with a sea.
    pub fn mirror(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let Some(mirror) = &self.scene.drawers.mirror else { return };
        let uses = uses![uniform SCENE_PARAMS].and(&uses);
        rec.pass(&Pass { name: "mirror", stage: COMPUTE, uses: &uses }, |rec| {
            rec.bind_compute(mirror, &[&self.scene.set, &self.canvas.set], &[self.slot.offsets[0]]);
            if let Some(addresses) = &self.scene.addresses {
                rec.push_compute(mirror, addresses);
            }
            let stride = self.scene.boids.div_ceil(MIRROR_BOIDS);
            rec.dispatch(self.scene.boids.div_ceil(stride).div_ceil(WORKGROUP_SIZE).into());
        });
    }

    /// Draws the boids that `cull` listed, in a rendering without attachments.
    pub fn draw_boids(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let drawers = &self.scene.drawers;
        let (skin, fish_skin) = (drawers.skin.as_ref(), drawers.skin.is_some().then_some(FISH_SKIN));
        let sets = [&self.scene.set, &self.canvas.set, &drawers.clips.set].into_iter();
        let sets: Vec<&DescriptorSet> = sets.chain(skin.map(|skin| &skin.set)).collect();
        let uses = self.drawn(uses).and(&uses![sampled_image fish_skin]);
        rec.rasterizing(self.canvas.blocks(), |rec| {
            rec.pass(&Pass { name: "draw_boids", stage: FRAGMENT, uses: &uses }, |rec| {
                rec.bind_graphics(&drawers.boids, &sets, &self.offset());
                rec.bind_mesh(&drawers.vertices, &drawers.indices);
                rec.draw_indexed_indirect(&self.scene.draw_commands, command_offset(DRAW_NEAR), 1);
            });
        });
    }

    /// Draws the targets, in a rendering without attachments.
    pub fn draw_targets(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let drawers = &self.scene.drawers;
        rec.rasterizing(self.canvas.blocks(), |rec| {
            rec.pass(&Pass { name: "draw_targets", stage: FRAGMENT, uses: &self.drawn(uses) }, |rec| {
                rec.bind_graphics(&drawers.targets, &[&self.scene.set, &self.canvas.set], &self.offset());
                rec.bind_mesh(&drawers.vertices, &drawers.indices);
                rec.draw_indexed_indirect(&self.scene.draw_commands, command_offset(DRAW_TARGETS), 1);
            });
        });
    }

    /// Draws some obstacles, in a rendering without attachments.
    pub fn draw_obstacles(&self, rec: &mut Recorder<'_>, draw: ObstacleDraw, uses: Uses) {
        let drawers = &self.scene.drawers;
        let triangles = drawers.meshes.then_some(OBSTACLE_TRIANGLES);
        let volumes = drawers.meshes.then_some(OBSTACLE_VOLUMES);
        let uses = self.drawn(uses).and(&uses![vertex_read triangles, fragment_read volumes]);
        rec.rasterizing(self.canvas.blocks(), |rec| {
            rec.pass(&Pass { name: "draw_obstacles", stage: FRAGMENT, uses: &uses }, |rec| {
                let pipeline = drawers.obstacles.as_ref().expect("a scene with obstacles");
                rec.bind_graphics(pipeline, &[&self.scene.set, &self.canvas.set], &self.offset());
                rec.draw_from(draw.vertices, draw.instances);
            });
        });
    }

    /// Makes the pixels of the samples, and of the background.
    pub fn compose(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let tiles = |pixels: u32| u64::from(pixels.div_ceil(COMPOSE_TILE));
        let uses = uses![uniform SCENE_PARAMS].and(&uses);
        rec.pass(&Pass { name: "compose", stage: COMPUTE, uses: &uses }, |rec| {
            let sets = [&self.scene.set, &self.canvas.set];
            rec.bind_compute(&self.scene.drawers.compose, &sets, &[self.slot.offsets[0]]);
            let (across, down) = self.canvas.blocks();
            rec.dispatch(tiles(across) * tiles(down));
        });
    }

    /// Draws the trails that `trail_cull` listed. Inside of a rendering over the picture, after all else, since they
    /// blend.
    pub fn draw_trails(&self, rec: &mut Recorder<'_>, over: &Target) {
        if let (Some(trails), Some(pipeline)) = (&self.scene.trails, &self.scene.drawers.trails) {
            let trail =
                uses![indirect TRAIL_COMMANDS, indices TRAIL_INDICES, vertex_read STATE TRAIL_LIST TRAIL_HISTORY];
            rec.pass(&Pass { name: "draw_trails", stage: OVER, uses: &self.blended(trail, over) }, |rec| {
                rec.bind_graphics(pipeline, &[&trails.set, &self.canvas.set], &[self.slot.offsets[0]]);
                rec.bind_indices(&trails.indices);
                rec.draw_indexed_indirect(&trails.commands, 0, 1);
            });
        }
    }

    /// Draws the edges of the picked cell, if the coloring shows one. Inside of a rendering over the picture.
    pub fn draw_cell(&self, rec: &mut Recorder<'_>, over: &Target) {
        if let Some(pipeline) = &self.scene.drawers.cell {
            let uses = self.blended(Uses::default(), over);
            rec.pass(&Pass { name: "draw_cell", stage: OVER, uses: &uses }, |rec| {
                rec.bind_graphics(pipeline, &[&self.scene.set, &self.canvas.set], &[self.slot.offsets[0]]);
                rec.draw(CELL_VERTICES, 1);
            });
        }
    }

    /// Counts the boids by the values that their colors show, if the range of colors is fitted to the flock.
    pub fn value_histogram(&self, rec: &mut Recorder<'_>) {
        if let Some(values) = &self.scene.values {
            let set = (&self.scene.set, self.slot.offsets[0]);
            values.record(rec, self.slot.index, set, self.scene.addresses.as_ref());
        }
    }

    /// Lists the trails that may be seen.
    pub fn trail_cull(&self, rec: &mut Recorder<'_>) {
        if let Some(trails) = &self.scene.trails {
            trails.cull(rec, self.slot.offsets[0]);
        }
    }

    /// Where the parameters of this round lie.
    fn offset(&self) -> [u32; 1] {
        [self.slot.offsets[self.round]]
    }

    /// The uses of a draw of solid surfaces.
    fn drawn(&self, uses: Uses) -> Uses {
        uses![vertex_uniform SCENE_PARAMS, fragment_uniform SCENE_PARAMS].and(&uses)
    }

    /// The uses of a draw over the picture, which looks samples up and blends.
    fn blended(&self, uses: Uses, over: &Target) -> Uses {
        let image = over.image;
        self.drawn(uses).and(&uses![fragment_read SAMPLES, color_read image, color_write image])
    }
}

impl Scene {
    /// Fills the texture of fish.
    pub fn skin_upload(&self, rec: &mut Recorder<'_>) {
        if let Some(skin) = &self.drawers.skin {
            skin.upload(rec);
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
}

fn command_offset(draw: u32) -> u64 {
    u64::from(draw) * size_of::<DrawCommand>() as u64
}
