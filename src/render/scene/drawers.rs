//! The pipelines, meshes and textures that a look takes.

use crate::error::Result;
use crate::flock::Flock;
use crate::limits::{BACKDROP_PAPER, BACKDROP_SKY, BACKDROP_WATER, BINDING_OBSERVED, POSE_BIRD, POSE_RIGID};
use crate::render::Look;
use crate::render::attachments::{DEPTH_FORMAT, SAMPLES};
use crate::render::layout::{DrawCommand, Vertex};
use crate::render::look::{Backdrop, Coloring, Shape};
use crate::render::mesh::Atlas;
use crate::render::skin::Skin;
use crate::vk::{
    Buffer, BufferUsage, DescriptorSet, Device, Format, GraphicsInfo, GraphicsPipeline, Resource, SetLayout,
    ShaderStages, VertexAttribute,
};
use std::mem::offset_of;
use std::sync::Arc;

/// What draws boids of one shape, in one coloring, before one backdrop.
pub struct Drawers {
    pub boids: GraphicsPipeline,
    pub targets: GraphicsPipeline,
    pub sky: GraphicsPipeline,
    /// What draws trails, if there are any.
    pub trails: Option<GraphicsPipeline>,
    /// What draws the edges of the picked cell, if the coloring shows one.
    pub cell: Option<GraphicsPipeline>,
    /// The texture of fish.
    pub skin: Option<Skin>,
    /// The observations of each boid, if the coloring shows them.
    pub observed: Option<ObservedSet>,
    pub vertices: Buffer,
    pub indices: Buffer,
    /// Draws of no instance.
    pub draws: [DrawCommand; 3],
}

impl Drawers {
    /// `scene` is the shape of the set that all of them see, `trails` that of the set that trails see.
    pub fn new(
        device: &Arc<Device>,
        look: &Look,
        flock: &Flock,
        scene: &SetLayout,
        trails: Option<&SetLayout>,
        color: Format,
    ) -> Result<Drawers> {
        let Atlas { mesh, draws } = Atlas::new(look.shape);
        let skin = (look.shape == Shape::Fish).then(|| Skin::new(device)).transpose()?;
        let constants = constants(look);
        let graphics = |name, [vertex, fragment]: [&str; 2], sets: &[&SetLayout], attributes: &[VertexAttribute]| {
            let solid = !attributes.is_empty();
            let info = GraphicsInfo {
                name,
                vertex,
                fragment,
                constants: &constants,
                sets,
                vertex_stride: if solid { size_of::<Vertex>() as u32 } else { 0 },
                attributes,
                color,
                depth: DEPTH_FORMAT,
                samples: SAMPLES,
                // The fins of fish are single sheets, seen from both sides.
                cull_back: solid && !vertex.starts_with("fish"),
                depth_write: solid,
                // Trails fade away.
                blend: vertex == "trail_vert",
            };
            GraphicsPipeline::new(device, &info)
        };
        let observed = (look.color == Coloring::Neighbors).then(|| ObservedSet::new(device, flock)).transpose()?;
        let shaders = match (&skin, &observed) {
            (None, None) => ["boid_vert", "boid_frag"],
            (None, Some(_)) => ["boid_vert_observed", "boid_frag"],
            (Some(_), None) => ["fish_vert", "fish_frag"],
            (Some(_), Some(_)) => ["fish_vert_observed", "fish_frag"],
        };
        let own = skin.as_ref().map(|skin| &skin.layout).into_iter().chain(observed.as_ref().map(|of| &of.layout));
        let sets: Vec<&SetLayout> = std::iter::once(scene).chain(own).collect();
        let boids = graphics("draw_boids", shaders, &sets, &ATTRIBUTES);
        let trail = |set| graphics("draw_trails", ["trail_vert", "trail_frag"], &[set], &[]);
        let cell = || graphics("draw_cell", ["cell_vert", "trail_frag"], &[scene], &[]);
        let sky = ["sky_vert", "sky_frag"];
        Ok(Drawers {
            boids: boids?,
            targets: graphics("draw_targets", ["target_vert", "boid_frag"], &[scene], &ATTRIBUTES[..2])?,
            sky: graphics("draw_sky", sky, &[scene], &[])?,
            trails: trails.map(trail).transpose()?,
            cell: (look.color == Coloring::Cell).then(cell).transpose()?,
            skin,
            observed,
            vertices: Buffer::with_data(device, "mesh_vertices", BufferUsage::VERTEX_BUFFER, &mesh.vertices)?,
            indices: Buffer::with_data(device, "mesh_indices", BufferUsage::INDEX_BUFFER, &mesh.indices)?,
            draws,
        })
    }

    /// Whether drawers made for `made_for` also draw `look`.
    pub fn serve(look: &Look, made_for: &Look) -> bool {
        let made_of = |look: &Look| (look.shape, look.color, look.backdrop, look.trail > 0.0);
        made_of(look) == made_of(made_for)
    }
}

/// A set with what was observed of each boid.
pub struct ObservedSet {
    layout: SetLayout,
    pub set: DescriptorSet,
}

impl ObservedSet {
    fn new(device: &Arc<Device>, flock: &Flock) -> Result<ObservedSet> {
        let observer = flock.observer().expect("Look::observe comes before a scene with this look");
        let observed = Resource::storage(BINDING_OBSERVED, ShaderStages::VERTEX, observer.observed());
        let (layout, set) = DescriptorSet::with_layout(device, "observed", &[observed])?;
        Ok(ObservedSet { layout, set })
    }
}

/// The specialization constants of `scene.glsl`.
fn constants(look: &Look) -> [u32; 3] {
    let backdrop = match look.backdrop {
        Backdrop::Dusk | Backdrop::Day => BACKDROP_SKY,
        Backdrop::Water => BACKDROP_WATER,
        Backdrop::Paper => BACKDROP_PAPER,
    };
    let pose = match look.shape {
        Shape::Bird | Shape::Dart => POSE_BIRD,
        Shape::Fish | Shape::Plane | Shape::Dot => POSE_RIGID,
    };
    [backdrop, look.color as u32, pose]
}

const ATTRIBUTES: [VertexAttribute; 3] = [
    attribute(0, Format::R32G32B32_SFLOAT, offset_of!(Vertex, position)),
    attribute(1, Format::R32G32B32_SFLOAT, offset_of!(Vertex, normal)),
    attribute(2, Format::R32G32_SFLOAT, offset_of!(Vertex, wing_or_u)),
];

const fn attribute(location: u32, format: Format, offset: usize) -> VertexAttribute {
    VertexAttribute { location, binding: 0, format, offset: offset as u32 }
}
