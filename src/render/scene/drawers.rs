//! The pipelines, meshes and textures that a look takes.

use crate::error::Result;
use crate::flock::Flock;
use crate::flock::buffers::Addresses;
use crate::flock::obstacles::Obstacle;
use crate::limits::{
    BACKDROP_PAPER, BACKDROP_SKY, BACKDROP_WATER, BINDING_FAR_FRAMES, BINDING_FAR_TRIANGLES, BINDING_OBSERVED,
    COLORS_PLAIN, COLORS_TEXTURE, OBSTACLES_ANY, OBSTACLES_MESHES, SAMPLES, SPLAT_BATCH,
};
use crate::render::clips::Figure;
use crate::render::clips::texture::{self, ClipTexture};
use crate::render::layout::{DrawCommand, Vertex};
use crate::render::look::{Backdrop, Coloring};
use crate::render::mesh::Atlas;
use crate::render::resources::{FAR_FRAMES, FAR_TRIANGLES, MESH_INDICES, MESH_VERTICES};
use crate::render::texture::Texture;
use crate::render::{Canvas, Look, skin};
use crate::shaders::module;
use crate::vk::{
    Buffer, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, Format, GraphicsInfo, GraphicsPipeline,
    SetLayout, ShaderStages, VertexAttribute,
};
use std::mem::offset_of;
use std::sync::Arc;

/// What draws boids of one shape, in one coloring, before one backdrop.
pub struct Drawers {
    pub cull: ComputePipeline,
    pub boids: GraphicsPipeline,
    pub targets: GraphicsPipeline,
    /// What draws obstacles, if there are any.
    pub obstacles: Option<GraphicsPipeline>,
    /// Whether some of them are meshes.
    pub meshes: bool,
    pub compose: ComputePipeline,
    /// What finds the flock's mirror image, before a backdrop with a sea.
    pub mirror: Option<ComputePipeline>,
    /// What draws trails, if there are any.
    pub trails: Option<GraphicsPipeline>,
    /// What draws the edges of the picked cell, if the coloring shows one.
    pub cell: Option<GraphicsPipeline>,
    /// The frames of the shape's clips.
    pub clips: ClipTexture,
    /// The texture of fish.
    pub skin: Option<Texture>,
    /// Whether the coloring shows what was observed of each boid.
    pub observed: bool,
    /// Whether each boid has a state.
    pub behaves: bool,
    /// What `cull` sees besides the scene and the canvas: the coarse mesh, and what was observed.
    pub figure_set: DescriptorSet,
    /// What is drawn of each boid.
    pub figure: Arc<Figure>,
    _far_buffers: [Buffer; 2],
    pub vertices: Buffer,
    pub indices: Buffer,
    /// Draws of no instance.
    pub draws: [DrawCommand; 2],
}

impl Drawers {
    /// `scene` is the layout of the set that all of them see, `trails` that of the set that trails see. `color` is the
    /// format of the image that trails and cells are drawn over.
    pub fn new(
        device: &Arc<Device>,
        look: &Look,
        flock: &Flock,
        scene: &SetLayout,
        trails: Option<&SetLayout>,
        color: Format,
    ) -> Result<Drawers> {
        let figure = look.figure();
        let Atlas { mesh, draws } = Atlas::new(&figure.near);
        let obstacles = &flock.settings().obstacles;
        let (obstructed, meshes) = (!obstacles.is_empty(), obstacles.iter().any(Obstacle::is_mesh));
        let clips = texture::texture(device, &figure)?;
        let skin = (figure.colors == COLORS_TEXTURE).then(|| skin::texture(device)).transpose()?;
        let behaves = flock.settings().states.is_on();
        let kinds = flock.settings().kinds.len() as u32;
        let constants = constants(look, &figure, [obstructed, meshes, behaves], kinds);
        let canvas = Canvas::layout(device)?;
        // Shaders that access the samples are built for both kinds of atomics.
        let narrow = if device.info().wide_atomics { "" } else { "_narrow" };
        let solid = |name, [vertex, fragment]: [&str; 2], sets: &[&SetLayout], attributes: &[VertexAttribute]| {
            let info = GraphicsInfo {
                name,
                vertex: &module(device, vertex),
                fragment: &module(device, &format!("{fragment}{narrow}")),
                constants: &constants,
                sets,
                vertex_stride: if attributes.is_empty() { 0 } else { size_of::<Vertex>() as u32 },
                attributes,
                color: None,
                samples: SAMPLES,
                premultiplied: false,
                // The fins of fish are single sheets, seen from both sides, and so may be what a user's model consists
                // of.
                cull_back: figure.colors == COLORS_PLAIN || name != "draw_boids",
            };
            GraphicsPipeline::new(device, &info)
        };
        let over = |name, vertex, set: &SetLayout| {
            let info = GraphicsInfo {
                name,
                vertex: &module(device, vertex),
                fragment: &module(device, &format!("trail_frag{narrow}")),
                constants: &constants,
                sets: &[set, &canvas],
                vertex_stride: 0,
                attributes: &[],
                color: Some(color),
                samples: 1,
                premultiplied: false,
                cull_back: false,
            };
            GraphicsPipeline::new(device, &info)
        };

        let observed = look.color == Coloring::Neighbors;
        let far = |name, bytes| Buffer::with_data::<u8>(device, name, BufferUsage::STORAGE_BUFFER, bytes);
        let far_frames = far(FAR_FRAMES.name(), bytemuck::cast_slice(&figure.far.frames))?;
        let far_triangles = far(FAR_TRIANGLES.name(), bytemuck::cast_slice(&figure.far.triangles))?;
        let mut resources = vec![
            Descriptor::storage(BINDING_FAR_FRAMES, ShaderStages::COMPUTE, &far_frames),
            Descriptor::storage(BINDING_FAR_TRIANGLES, ShaderStages::COMPUTE, &far_triangles),
        ];
        if observed {
            let observer = flock.observer().expect("Look::observe comes before a scene with this look");
            resources.push(Descriptor::storage(BINDING_OBSERVED, ShaderStages::COMPUTE, observer.observed()));
        }
        let (figure_layout, figure_set) = DescriptorSet::with_layout(device, "figure", &resources)?;
        let by_address = if flock.is_by_address() { "_by_address" } else { "" };
        let cull = format!("cull{by_address}{}{narrow}", if observed { "_observed" } else { "" });
        let push_bytes = if flock.is_by_address() { size_of::<Addresses>() as u32 } else { 0 };
        let compose = format!("compose{narrow}");
        let mirror = format!("mirror{by_address}");
        let has_sea = matches!(look.backdrop, Backdrop::Dusk | Backdrop::Day);

        let skin_layout = skin.as_ref().map(|skin| &skin.layout);
        let boid_sets: Vec<&SetLayout> = [scene, &canvas, &clips.layout].into_iter().chain(skin_layout).collect();
        let boid_frag = if skin.is_some() { "fish_frag" } else { "boid_frag" };
        let target_sets = [scene, &canvas];
        Ok(Drawers {
            cull: ComputePipeline::new(
                device,
                &module(device, &cull),
                &[scene, &canvas, &figure_layout],
                push_bytes,
                &constants,
            )?,
            boids: solid("draw_boids", ["boid_vert", boid_frag], &boid_sets, &OF_BOIDS)?,
            targets: solid("draw_targets", ["target_vert", "boid_frag"], &target_sets, &OF_TARGETS)?,
            obstacles: obstructed
                .then(|| solid("draw_obstacles", ["obstacle_vert", "obstacle_frag"], &target_sets, &[]))
                .transpose()?,
            meshes,
            compose: ComputePipeline::new(device, &module(device, &compose), &[scene, &canvas], 0, &constants)?,
            mirror: has_sea
                .then(|| {
                    ComputePipeline::new(device, &module(device, &mirror), &[scene, &canvas], push_bytes, &constants)
                })
                .transpose()?,
            trails: trails.map(|set| over("draw_trails", "trail_vert", set)).transpose()?,
            cell: (look.color == Coloring::Cell).then(|| over("draw_cell", "cell_vert", scene)).transpose()?,
            clips,
            skin,
            observed,
            behaves,
            figure_set,
            figure,
            _far_buffers: [far_frames, far_triangles],
            vertices: Buffer::with_data(device, MESH_VERTICES.name(), BufferUsage::VERTEX_BUFFER, &mesh.vertices)?,
            indices: Buffer::with_data(device, MESH_INDICES.name(), BufferUsage::INDEX_BUFFER, &mesh.indices)?,
            draws,
        })
    }

    /// Whether drawers made for `made_for` also draw `look`.
    pub fn serve(look: &Look, made_for: &Look) -> bool {
        let made_of = |look: &Look| (look.shape, look.color, look.backdrop, look.trail > 0.0);
        made_of(look) == made_of(made_for) && look.model == made_for.model
    }
}

/// The specialization constants of `scene.glsl`.
fn constants(look: &Look, figure: &Figure, [obstructed, meshes, behaves]: [bool; 3], kinds: u32) -> [u32; 10] {
    let backdrop = match look.backdrop {
        Backdrop::Dusk | Backdrop::Day => BACKDROP_SKY,
        Backdrop::Water => BACKDROP_WATER,
        Backdrop::Paper => BACKDROP_PAPER,
    };
    let (vertices, triangles) = (figure.far.corners.len() as u32, figure.far.triangles.len() as u32);
    let obstacles = if obstructed { OBSTACLES_ANY } else { 0 } | if meshes { OBSTACLES_MESHES } else { 0 };
    let at_once = SPLAT_BATCH / vertices.max(triangles);
    let (color, pose, colors) = (look.color as u32, figure.pose, figure.colors);
    [backdrop, color, pose, vertices, triangles, obstacles, behaves.into(), colors, at_once, kinds]
}

/// Places and normals of boids come from the clips.
const OF_BOIDS: [VertexAttribute; 3] = [
    attribute(0, Format::R32_SFLOAT, offset_of!(Vertex, wing)),
    attribute(1, Format::R32G32B32_SFLOAT, offset_of!(Vertex, albedo)),
    attribute(2, Format::R32G32_SFLOAT, offset_of!(Vertex, skin_place)),
];

const OF_TARGETS: [VertexAttribute; 2] = [
    attribute(0, Format::R32G32B32_SFLOAT, offset_of!(Vertex, position)),
    attribute(1, Format::R32G32B32_SFLOAT, offset_of!(Vertex, normal)),
];

const fn attribute(location: u32, format: Format, offset: usize) -> VertexAttribute {
    VertexAttribute { location, binding: 0, format, offset: offset as u32 }
}
