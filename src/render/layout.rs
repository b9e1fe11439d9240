//! The structures of `glsl/include/scene.glsl`, field for field, and the vertex format of `boid.vert`.
//!
//! All are in scalar layout: a three-component vector takes twelve bytes and nothing is padded.

use crate::flock::layout::{Grid, PackedObstacle};
use crate::limits::{MAX_KINDS, MAX_OBSTACLES, MAX_TARGETS, MAX_TRAIL_SLOTS, RAMP_COLORS};
use crate::transitions::CLIPS;
use bytemuck::{Pod, Zeroable};
use glam::{UVec3, Vec2, Vec3};

/// The light of a scene. Colors are linear and may exceed 1; they are tone-mapped last.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Palette {
    /// Unit vector towards the sun.
    pub sun_direction: Vec3,
    /// Light that falls on a surface facing the sun.
    pub sun_color: Vec3,
    /// Sky overhead.
    pub zenith: Vec3,
    /// Sky at the horizon, away from the sun.
    pub horizon: Vec3,
    /// Sky at the horizon, towards the sun.
    pub glow: Vec3,
    /// Sea below the horizon, where it mirrors nothing.
    pub water: Vec3,
    /// Albedo of a boid.
    pub boid: Vec3,
    /// Albedo that headings across the sun lean towards.
    pub boid_accent: Vec3,
    /// Albedo of a target.
    pub target: Vec3,
}

/// Where the frames of a clip are, and how fast it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Clip {
    /// The row of its first frame.
    pub first: f32,
    /// Frames in a loop; as many rows follow the first, the last of which repeats it.
    pub frames: f32,
    /// Loops per second.
    pub rate: f32,
    /// By what share the rates of boids differ.
    pub vary: f32,
}

/// Everything that one frame's cull and draw passes read besides the flock.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct SceneParams {
    /// World to clip space, by columns; depth is 1 at the near plane and 0 at infinity.
    pub view_projection: [[f32; 4]; 4],
    /// Left, right, bottom, top and near plane: `dot(xyz, p) + w >= 0` inside, and `xyz` is a unit vector.
    pub planes: [[f32; 4]; 5],
    /// Where the camera is, in world units.
    pub eye: Vec3,
    /// A pixel at normalized device coordinates `(x, y)` looks along `ray_forward + x * ray_right + y * ray_down`.
    pub ray_right: Vec3,
    /// See [`SceneParams::ray_right`].
    pub ray_down: Vec3,
    /// See [`SceneParams::ray_right`].
    pub ray_forward: Vec3,
    /// The light.
    pub palette: Palette,
    /// An object's height in pixels is its height, divided by its distance, times this.
    pub pixels_per_radian: f32,
    /// Simulated seconds, for the wings.
    pub time: f32,
    /// Simulated seconds since the last step.
    pub extrapolate: f32,
    /// World units per second of one unit in the velocity slot.
    pub speed_scale: f32,
    /// World units from beak to tail.
    pub boid_length: f32,
    /// Boids at least this many pixels long are drawn with the detailed mesh.
    pub lod_pixels: f32,
    /// Upper bound of the silhouette of the coarse mesh, in squares of a boid's length.
    pub silhouette: f32,
    /// Extinction per world unit.
    pub haze: f32,
    /// How strongly boids shade each other; 0 without a grid.
    pub shadow: f32,
    /// Boids in the flock.
    pub boid_count: u32,
    /// Batches of boids that a workgroup of `cull` looks at.
    pub batches: u32,
    /// 1 if `cull` begins with the last boid.
    pub last_first: u32,
    /// Entries of `targets` in use.
    pub target_count: u32,
    /// Blocks of pixels of the picture, from left to right: each has its samples.
    pub width: u32,
    /// The same from top to bottom.
    pub height: u32,
    /// Pixels along an edge of a block.
    pub block: u32,
    /// Pixels of the picture.
    pub pixels: [u32; 2],
    /// On a device without 64-bit atomics: 0 while the nearest depths are found, 1 while their colors are.
    pub round: u32,
    /// 1 when a pixel's bytes are in the order blue, green, red, alpha, else 0.
    pub blue_first: u32,
    /// 1 when the color attachment does not encode sRGB by itself, else 0.
    pub encode_srgb: u32,
    /// The neighbor grid of the last step.
    pub grid: Grid,
    /// Position (xyz) and radius (w) of each target, in world units.
    pub targets: [[f32; 4]; MAX_TARGETS as usize],
    /// Cells as wide as the search radius: those of a bitonic-sorted grid, whatever the search is.
    pub cells: Grid,
    /// The cell that is picked out of them.
    pub cell: UVec3,
    /// Entries of `obstacles` in use.
    pub obstacle_count: u32,
    /// The obstacles.
    pub obstacles: [PackedObstacle; MAX_OBSTACLES as usize],
    /// Stretches a boid's mesh along its right, up and back.
    pub boid_scale: Vec3,
    /// Linear colors, in the order of the values that they stand for.
    pub ramp: [Vec3; RAMP_COLORS as usize],
    /// The value of the ramp's first color.
    pub ramp_low: f32,
    /// The value of its last color; of its first again where the ramp is a circle.
    pub ramp_high: f32,
    /// For `value_histogram`: values below the inverse are in the first bin.
    pub values_per_unit: f32,
    /// Speed limit of all boids, in world units per second.
    pub full_speed: f32,
    /// Steps since the start.
    pub step: u32,
    /// Simulated seconds in a step.
    pub time_step: f32,
    /// Height of the sea, in world units; its mirror image of the flock is seen from as far below it as the eye is
    /// above.
    pub sea: f32,
    /// World units that waves are long.
    pub wave_length: f32,
    /// World units from the eye to the middle of the flock's world.
    pub flock_distance: f32,
    /// Level, in the direction of view: a boid's place in the mirror image is its offset, divided by its extent along
    /// this.
    pub mirror_forward: Vec3,
    /// Level, to the right: 1 along it is the right edge of the mirror image.
    pub mirror_right: Vec3,
    /// How much of the mirror image's height a unit upwards is.
    pub mirror_rise: f32,
    /// One of so many boids is looked at for it.
    pub mirror_stride: u32,
    /// Rows of blocks above the first one that is drawn, of a picture in bands.
    pub first_row: u32,
    /// The clips of the shape: [`clips`](crate::render::clips).
    pub clips: [Clip; CLIPS as usize],
    /// Frames of all clips.
    pub clip_rows: u32,
    /// Length of the trails in simulated seconds; what follows matters only if there are any.
    pub trail_seconds: f32,
    /// Width of a trail at the boid and at its end, in world units.
    pub trail_width: [f32; 2],
    /// World units that a boid may be away from its newest sample.
    pub trail_reach: f32,
    /// Slot of the newest samples.
    pub trail_newest: u32,
    /// Slots that hold any, going back from there.
    pub trail_samples: u32,
    /// Slots of the ring.
    pub trail_slots: u32,
    /// Of each slot, the simulated seconds since its samples.
    pub trail_ages: [f32; MAX_TRAIL_SLOTS as usize],
    /// Of each slot, the step of its samples.
    pub trail_steps: [u32; MAX_TRAIL_SLOTS as usize],
    /// Of each kind of boids, the identity after its last.
    pub kind_ends: [u32; MAX_KINDS as usize],
    /// Of each kind, the factor of its size.
    pub kind_sizes: [f32; MAX_KINDS as usize],
}

impl SceneParams {
    /// The length of boid `id`, in world units: that of its kind.
    pub fn length_of(&self, id: u32) -> f32 {
        let kind = self.kind_ends.iter().filter(|&&end| end <= id).count();
        self.boid_length * self.kind_sizes.get(kind).unwrap_or(&1.0)
    }
}

/// Where a boid was.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TrailSample {
    /// In world units.
    pub position: Vec3,
    /// The step of the oldest sample from which an unbroken trail leads here.
    pub since: u32,
}

/// What one recording of the flock for its trails needs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TrailStep {
    /// Boids in the flock.
    pub boid_count: u32,
    /// Where this moment's samples go.
    pub slot: u32,
    /// Where those of the moment before are.
    pub previous: u32,
    /// Steps since the start.
    pub step: u32,
    /// Largest distance between the two samples of a boid, in world units; negative without previous samples.
    pub reach: f32,
    /// On a torus, its length along each axis, in world units; else 0.
    pub period: Vec3,
}

/// A boid that is drawn as a mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct VisibleBoid {
    /// World units, after the last step.
    pub position: Vec3,
    /// Its identity.
    pub id: u32,
    /// World units per second.
    pub velocity: Vec3,
    /// Share of the sun's (low half) and of the sky's light that reaches it, as two 16-bit fractions.
    pub light: u32,
    /// What its color shows, if that is its count of neighbors.
    pub value: f32,
    /// A [`Behavior`](crate::flock::states::Behavior), if it has a state.
    pub behavior: u32,
}

/// A triangle of the coarse mesh, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct FarTriangle {
    /// Its vertices, counter-clockwise seen from the front.
    pub corners: UVec3,
    /// Along the normal, as long as the triangle has area.
    pub area: Vec3,
    /// Its own linear color, for a fish the mean of its texture here; or, with `COLORS_PLAIN`, a factor of the boid's
    /// albedo.
    pub albedo: Vec3,
    /// How much of it is wing: the mean of its corners' weights.
    pub wing: f32,
    /// 1 when both faces show, else 0.
    pub two_sided: u32,
}

/// `VkDrawIndexedIndirectCommand`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct DrawCommand {
    /// Indices of the mesh.
    pub index_count: u32,
    /// Instances to draw; counted by the cull pass.
    pub instance_count: u32,
    /// Where the mesh begins in the index buffer.
    pub first_index: u32,
    /// Added to every index.
    pub vertex_offset: i32,
    /// Index of the first instance.
    pub first_instance: u32,
}

/// A vertex of a mesh at rest, read as attributes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Right, up and back of the middle; a boid is one unit long.
    pub position: Vec3,
    /// Unit vector out of the surface.
    pub normal: Vec3,
    /// How far the vertex follows the wings: 0 on the body, 1 at the wrist, more at the tip.
    pub wing: f32,
    /// Its own linear color; or, with `COLORS_PLAIN`, a factor of the boid's albedo.
    pub albedo: Vec3,
    /// Where it lies in the texture of the skin, if there is one: from nose to tail, and down.
    pub skin_place: Vec2,
}
