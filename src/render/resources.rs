//! The buffers and images of a picture, by name. Those of the flock are in [`buffers`](crate::flock::buffers).

use crate::vk::{Group, Resource};

macro_rules! resources {
    ($($(#[$about:meta])* $resource:ident = $name:literal;)*) => {
        $($(#[$about])* pub const $resource: Resource = Resource::new($name);)*
    };
}

resources! {
    /// The parameters of a picture.
    SCENE_PARAMS = "scene_params";
    /// Frames of the clip of distant boids.
    FAR_FRAMES = "far_frames";
    /// Triangles of distant boids.
    FAR_TRIANGLES = "far_triangles";
    /// Arguments of the draws of boids and targets.
    DRAW_COMMANDS = "draw_commands";
    /// The near boids, which are drawn as meshes.
    VISIBLE_BOIDS = "visible_boids";
    /// Depth and color of each sample of the picture.
    SAMPLES = "samples";
    /// How much of its mirror image in the sea the flock covers.
    MIRROR = "mirror";
    /// The composed picture.
    PIXELS = "pixels";
    /// The image of a picture that goes to the host.
    PICTURE = "picture";
    /// The picture, for the host.
    PICTURE_BYTES = "picture_bytes";
    /// Vertices of the mesh of a boid.
    MESH_VERTICES = "mesh_vertices";
    /// Indices of the mesh of a boid.
    MESH_INDICES = "mesh_indices";
    /// Animations of the mesh of a boid: a texture.
    CLIPS = "clips";
    /// The texture of fish.
    FISH_SKIN = "fish_skin";
    /// The texels of that texture, on their way there.
    FISH_TEXELS = "fish_texels";
    /// Triangles of obstacles that are meshes.
    OBSTACLE_TRIANGLES = "obstacle_triangles";
    /// Past positions of every boid.
    TRAIL_HISTORY = "trail_history";
    /// The boids whose trails are drawn.
    TRAIL_LIST = "trail_list";
    /// Arguments of the draw of trails.
    TRAIL_COMMANDS = "trail_commands";
    /// Indices of a trail.
    TRAIL_INDICES = "trail_indices";
    /// Counts of boids by the value that their color shows, for the host.
    VALUE_COUNTS = "value_counts";
}

/// What distant boids look like.
pub const FIGURE: Group = Group(&[FAR_FRAMES, FAR_TRIANGLES]);

/// What trails are drawn from, besides the state.
pub const TRAILS: Group = Group(&[TRAIL_HISTORY, TRAIL_LIST, TRAIL_COMMANDS]);
