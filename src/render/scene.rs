//! The draw passes on the device: their buffers and pipelines, and one method for each pass.
//!
//! As with the simulation, the methods record a pass and nothing else. What must lie between them stands in
//! [`crate::frame`]. What each reads and writes stands with its `Pass` below. All of them read `scene_params`, which the
//! host writes before the submission.

use super::attachments::{DEPTH_FORMAT, SAMPLES};
use super::camera::Camera;
use super::layout::{DrawCommand, Palette, SceneParams, Vertex, VisibleBoid};
use super::mesh::Atlas;
use crate::error::Result;
use crate::flock::search::GridKind;
use crate::flock::{Flock, Settings};
use crate::limits::{
    BINDING_BOID_ID, BINDING_CELL_STARTS, BINDING_DRAW_COMMANDS, BINDING_POSITION_VX, BINDING_SCENE_PARAMS,
    BINDING_VELOCITY_YZ, BINDING_VISIBLE_BOIDS, DRAW_FAR, DRAW_NEAR, DRAW_TARGETS, WORKGROUP_SIZE,
};
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, DepthUse, DescriptorSet, Device, Format, GraphicsInfo,
    GraphicsPipeline, MemoryLocation, Pass, Recorder, Resource, SetLayout, ShaderStages, Stage, Use, VertexAttribute,
};
use std::mem::offset_of;
use std::sync::Arc;

/// What a flock is drawn like. May change from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The light.
    pub palette: Palette,
    /// World units from beak to tail.
    pub boid_length: f32,
    /// Boids at least this many pixels long get the detailed mesh.
    pub lod_pixels: f32,
    /// Extinction of the haze across the radius of the world: 0 is clear air.
    pub haze: f32,
    /// How strongly boids shade each other: 0 not at all, 1 as much as their size says.
    pub shadow: f32,
}

impl Look {
    /// How a flock of `settings` is drawn unless the user wants otherwise: at dusk, with boids three tenths as long
    /// as the distance at which they begin to avoid each other, but no longer than a thirtieth of the world's edge.
    pub fn of(settings: &Settings) -> Self {
        let edge = 2.0 * settings.world.half_size.max_element();
        Look {
            palette: Palette::dusk(),
            boid_length: (0.3 * settings.rules.separation_radius).min(edge / 30.0),
            lod_pixels: 7.0,
            haze: 0.05,
            shadow: 1.5,
        }
    }
}

/// From where, and when between two steps, a frame looks at the flock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Simulated seconds since the last step, which positions run ahead by.
    pub extrapolate: f32,
}

/// Where the parameters of one frame lie: a dynamic offset into the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneSlot(u32);

/// Everything that draws one flock.
pub struct Scene {
    /// What it looks like.
    pub look: Look,
    cull: ComputePipeline,
    boids: GraphicsPipeline,
    targets: GraphicsPipeline,
    sky: GraphicsPipeline,
    set: DescriptorSet,
    scene_params: Buffer,
    visible_boids: Buffer,
    draw_commands: Buffer,
    vertices: Buffer,
    indices: Buffer,
    reset: [DrawCommand; 3],
    groups: u64,
    params_stride: u64,
    encode_srgb: bool,
}

impl Scene {
    /// Builds what draws `flock` into attachments of `color_format`. `slots` is the number of frames in flight.
    /// The flock's buffers must outlive the scene.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, flock: &Flock, color_format: Format, slots: usize) -> Result<Scene> {
        let boids = flock.settings().boids;
        let Atlas { mesh, draws } = Atlas::new();
        let params_stride = (size_of::<SceneParams>() as u64).next_multiple_of(device.info().uniform_alignment);
        let buffer = |name, size, usage, location| Buffer::new(device, &BufferInfo { name, size, usage, location });
        let scene_params = buffer(
            "scene_params",
            params_stride * slots as u64,
            BufferUsage::UNIFORM_BUFFER,
            MemoryLocation::CpuToGpu,
        )?;
        let visible = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC;
        let visible_boids = buffer(
            "visible_boids",
            size_of::<VisibleBoid>() as u64 * u64::from(boids),
            visible,
            MemoryLocation::GpuOnly,
        )?;
        let arguments = visible | BufferUsage::INDIRECT_BUFFER | BufferUsage::TRANSFER_DST;
        let draw_commands = buffer("draw_commands", size_of_val(&draws) as u64, arguments, MemoryLocation::GpuOnly)?;
        let layout = set_layout(device)?;
        let state = flock.buffers();
        let params = size_of::<SceneParams>() as u64;
        let resources = [
            Resource { binding: BINDING_SCENE_PARAMS, buffer: &scene_params, range: params },
            Resource::whole(BINDING_POSITION_VX, &state.position_vx),
            Resource::whole(BINDING_VELOCITY_YZ, &state.velocity_yz),
            Resource::whole(BINDING_BOID_ID, &state.boid_id),
            Resource::whole(BINDING_CELL_STARTS, &state.cell_starts),
            Resource::whole(BINDING_VISIBLE_BOIDS, &visible_boids),
            Resource::whole(BINDING_DRAW_COMMANDS, &draw_commands),
        ];
        let set = DescriptorSet::new(device, "scene", &layout, &resources)?;
        let graphics = |name, vertex, fragment, attributes, depth_use| {
            let vertex_stride = if depth_use == DepthUse::TestAndWrite { size_of::<Vertex>() as u32 } else { 0 };
            let info = GraphicsInfo {
                name,
                vertex,
                fragment,
                sets: &[&layout],
                push_bytes: 0,
                vertex_stride,
                attributes,
                color: color_format,
                depth: DEPTH_FORMAT,
                samples: SAMPLES,
                cull_back: depth_use == DepthUse::TestAndWrite,
                depth_use,
                blend: false,
            };
            GraphicsPipeline::new(device, &info)
        };
        Ok(Scene {
            look: Look::of(flock.settings()),
            cull: ComputePipeline::new(device, "cull", &[&layout], 0)?,
            boids: graphics("draw_boids", "boid_vert", "boid_frag", &ATTRIBUTES, DepthUse::TestAndWrite)?,
            targets: graphics("draw_targets", "target_vert", "boid_frag", &ATTRIBUTES[..2], DepthUse::TestAndWrite)?,
            sky: graphics("draw_sky", "sky_vert", "sky_frag", &[], DepthUse::TestOnly)?,
            set,
            scene_params,
            visible_boids,
            draw_commands,
            vertices: Buffer::with_data(device, "mesh_vertices", BufferUsage::VERTEX_BUFFER, &mesh.vertices)?,
            indices: Buffer::with_data(device, "mesh_indices", BufferUsage::INDEX_BUFFER, &mesh.indices)?,
            reset: reset_commands(draws, flock.settings()),
            groups: u64::from(boids.div_ceil(WORKGROUP_SIZE)),
            params_stride,
            encode_srgb: !encodes_srgb(color_format),
        })
    }

    /// Writes the parameters of the next frame for frame slot `slot`, which the device is done with.
    pub fn prepare(&mut self, slot: usize, flock: &Flock, view: &View) -> SceneSlot {
        let offset = slot as u64 * self.params_stride;
        self.scene_params.write(offset, &[self.params(flock, view)]);
        SceneSlot(offset as u32)
    }

    /// What a frame that looks at `flock` through `view` hands to the cull and draw passes.
    pub fn params(&self, flock: &Flock, view: &View) -> SceneParams {
        let settings = flock.settings();
        let aspect = view.width as f32 / view.height as f32;
        let view_projection = view.camera.view_projection(aspect);
        let [right, up, forward] = view.camera.axes();
        let (tan_x, tan_y) = view.camera.tangents(aspect);
        let seconds = f64::from(flock.step()) * f64::from(settings.time_step) + f64::from(view.extrapolate);
        SceneParams {
            view_projection: view_projection.to_cols_array_2d(),
            planes: Camera::planes(view_projection).map(|plane| plane.to_array()),
            eye: view.camera.eye(),
            ray_right: right * tan_x,
            ray_down: up * -tan_y,
            ray_forward: forward,
            palette: self.look.palette,
            pixels_per_radian: view.height as f32 / (2.0 * tan_y),
            time: seconds as f32,
            extrapolate: view.extrapolate,
            speed_scale: if settings.law.info().uses_heading { settings.rules.move_speed } else { 1.0 },
            boid_length: self.look.boid_length,
            lod_pixels: self.look.lod_pixels,
            haze: self.look.haze / settings.world.half_size.length(),
            // Before the first step nothing has been counted, and without a counting sort nothing ever is.
            shadow: if flock.step() == 0 || settings.search.grid() != GridKind::CountingSorted {
                0.0
            } else {
                self.look.shadow
            },
            boid_count: settings.boids,
            target_count: settings.targets,
            encode_srgb: self.encode_srgb.into(),
            grid: *flock.grid(),
            // The targets that the last step steered by.
            targets: settings.step_params(flock.step().saturating_sub(1)).targets,
        }
    }

    /// Sets every draw to no instances, but the targets' to all of them.
    pub fn draw_reset(&self, rec: &mut Recorder<'_>) {
        rec.pass(&DRAW_RESET, |rec| rec.update_buffer(&self.draw_commands, 0, &self.reset));
    }

    /// Lists the boids that are seen, and counts them into the draws.
    pub fn cull(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&CULL, |rec| {
            rec.bind_compute(&self.cull, &[&self.set], &[slot.0]);
            rec.dispatch(self.groups);
        });
    }

    /// Draws every boid that `cull` listed: near ones and far ones in one call. Inside of rendering.
    pub fn draw_boids(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&DRAW_BOIDS, |rec| {
            rec.bind_graphics(&self.boids, &[&self.set], &[slot.0]);
            rec.bind_mesh(&self.vertices, &self.indices);
            rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_NEAR), 2);
        });
    }

    /// Draws the targets. Inside of rendering.
    pub fn draw_targets(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&DRAW_TARGETS_PASS, |rec| {
            rec.bind_graphics(&self.targets, &[&self.set], &[slot.0]);
            rec.bind_mesh(&self.vertices, &self.indices);
            rec.draw_indexed_indirect(&self.draw_commands, command_offset(DRAW_TARGETS), 1);
        });
    }

    /// Draws the sky and the sea where nothing else is. Inside of rendering, after everything opaque: that
    /// way only the pixels that show it pay for it.
    pub fn draw_sky(&self, rec: &mut Recorder<'_>, slot: SceneSlot) {
        rec.pass(&DRAW_SKY, |rec| {
            rec.bind_graphics(&self.sky, &[&self.set], &[slot.0]);
            rec.draw(3);
        });
    }

    /// Arguments of the indirect draws, as the last frame left them. For tests.
    pub fn draw_commands(&self) -> &Buffer {
        &self.draw_commands
    }

    /// Indices of the boids shown, as the last frame left them. For tests.
    pub fn visible_boids(&self) -> &Buffer {
        &self.visible_boids
    }
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

const DRAW_BOIDS: Pass<'_> = Pass {
    name: "draw_boids",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::indirect("draw_commands"),
        Use::indices("mesh_indices"),
        Use::vertices("mesh_vertices"),
        Use::uniform(VERTEX, "scene_params"),
        Use::read(VERTEX, "visible_boids"),
        Use::read(VERTEX, "position_vx"),
        Use::read(VERTEX, "velocity_yz"),
        Use::read(VERTEX, "boid_id"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::depth_write("depth"),
        Use::color_write("color"),
    ],
};

const DRAW_TARGETS_PASS: Pass<'_> = Pass {
    name: "draw_targets",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::indirect("draw_commands"),
        Use::indices("mesh_indices"),
        Use::vertices("mesh_vertices"),
        Use::uniform(VERTEX, "scene_params"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::depth_write("depth"),
        Use::color_write("color"),
    ],
};

const DRAW_SKY: Pass<'_> = Pass {
    name: "draw_sky",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::uniform(VERTEX, "scene_params"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::color_write("color"),
    ],
};

const ATTRIBUTES: [VertexAttribute; 3] = [
    VertexAttribute { location: 0, format: Format::R32G32B32_SFLOAT, offset: offset_of!(Vertex, position) as u32 },
    VertexAttribute { location: 1, format: Format::R32G32B32_SFLOAT, offset: offset_of!(Vertex, normal) as u32 },
    VertexAttribute { location: 2, format: Format::R32G32_SFLOAT, offset: offset_of!(Vertex, wing) as u32 },
];

fn command_offset(draw: u32) -> u64 {
    u64::from(draw) * size_of::<DrawCommand>() as u64
}

/// The draws before `cull` has counted. Far boids fill `visible_boids` from its end.
fn reset_commands(mut draws: [DrawCommand; 3], settings: &Settings) -> [DrawCommand; 3] {
    draws[DRAW_FAR as usize].first_instance = settings.boids;
    draws[DRAW_TARGETS as usize].instance_count = settings.targets;
    draws
}

fn set_layout(device: &Arc<Device>) -> Result<SetLayout> {
    let (compute, vertex) = (ShaderStages::COMPUTE, ShaderStages::VERTEX);
    let state = compute | vertex;
    let bindings = [
        Binding::dynamic_uniform(BINDING_SCENE_PARAMS, compute | vertex | ShaderStages::FRAGMENT),
        Binding::storage(BINDING_POSITION_VX, state),
        Binding::storage(BINDING_VELOCITY_YZ, state),
        Binding::storage(BINDING_BOID_ID, state),
        Binding::storage(BINDING_CELL_STARTS, compute),
        Binding::storage(BINDING_VISIBLE_BOIDS, state),
        Binding::storage(BINDING_DRAW_COMMANDS, compute),
    ];
    SetLayout::new(device, "scene", &bindings)
}

/// Whether writing to an attachment of `format` turns linear color into sRGB.
fn encodes_srgb(format: Format) -> bool {
    matches!(format, Format::R8G8B8A8_SRGB | Format::B8G8R8A8_SRGB | Format::A8B8G8R8_SRGB_PACK32)
}
