//! Constants that the host and the shaders must agree on.
//!
//! `build.rs` includes this file and passes every entry of [`SHADER_MACROS`] to the shader compiler, so a number is
//! written once and has the same name in GLSL.

/// Invocations in a compute workgroup, except those named below. Vulkan 1.3 guarantees only 128; devices without 256
/// are refused.
pub const WORKGROUP_SIZE: u32 = 256;

/// Invocations in a workgroup of `cull`: few, because it waits for all of them between stages of which only some have
/// work.
pub const CULL_WORKGROUP: u32 = 64;

/// Invocations in a workgroup of the kernel of this file stem; its macro `WORKGROUP_SIZE` has this value.
pub fn workgroup(kernel: &str) -> u32 {
    if kernel == "cull" { CULL_WORKGROUP } else { WORKGROUP_SIZE }
}

/// The widest subgroup that the kernels accept.
pub const MAX_SUBGROUP_SIZE: u32 = 64;

/// Workgroups per dispatch dimension that Vulkan guarantees; longer dispatches are folded into two.
pub const MAX_GROUPS_PER_DIMENSION: u32 = 65_535;

/// Numbers that GLSL sees as macros of the same names, with the same values everywhere. One without documentation is
/// what its name says, or the binding of a buffer of that name.
macro_rules! shader_macros {
    ($($(#[$about:meta])* $name:ident = $value:expr;)*) => {
        $(#[allow(missing_docs)] $(#[$about])* pub const $name: u32 = $value;)*

        /// The macros with the same value in all shaders. `WORKGROUP_SIZE` is defined separately.
        pub const SHADER_MACROS: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

shader_macros! {
    /// The narrowest subgroup that the kernels accept. It bounds the number of subgroups in a workgroup.
    MIN_SUBGROUP_SIZE = 4;

    /// Cells that one invocation of the scan adds up: a multiple of 4, because it reads four at once.
    SCAN_ITEMS_PER_INVOCATION = 16;

    /// Cells that one workgroup of the scan handles.
    SCAN_BLOCK = WORKGROUP_SIZE * SCAN_ITEMS_PER_INVOCATION;

    /// Boids that one invocation of `sort_list` lists.
    LIST_ITEMS_PER_INVOCATION = 4;

    /// Pairs that one workgroup of the bitonic sort keeps in shared memory: 16 KiB.
    BITONIC_BLOCK = 2_048;

    /// Targets that a step's parameters have room for.
    MAX_TARGETS = 16;

    /// Points that attract or repel, which a step's parameters have room for.
    MAX_POINTS = 8;

    /// Obstacles that a step's parameters have room for.
    MAX_OBSTACLES = 64;

    /// Kinds of obstacles: a ball.
    OBSTACLE_SPHERE = 0;
    /// A box along the axes, whose edges may be rounded.
    OBSTACLE_BOX = 1;
    /// All places within a radius of a segment.
    OBSTACLE_CAPSULE = 2;
    /// All places within a radius of a circle.
    OBSTACLE_TORUS = 3;
    /// A half-space.
    OBSTACLE_PLANE = 4;
    /// A mesh, by its volume of distances. Kinds from here on have one.
    OBSTACLE_MESH = 5;
    /// The section of a mesh, in a flat world.
    OBSTACLE_SECTION = 6;

    /// Numbers before the distances of a volume: the place of the first, the edge of a cell, distances along each axis,
    /// and one unused.
    VOLUME_HEADER = 8;

    /// Distances to obstacles by which a boid finds how far ahead one lies.
    OBSTACLE_LOOKS = 4;

    /// Parts in which a boid's way is taken near an obstacle.
    OBSTACLE_PARTS = 8;

    /// Bits of specialization constant 5 of the draws: there are obstacles.
    OBSTACLES_ANY = 1;
    /// Some of them are meshes.
    OBSTACLES_MESHES = 2;

    /// Distances to obstacles by which it is found how much light they leave.
    SHADOW_LOOKS = 16;

    /// Quads around an obstacle, in a row of the grid that draws it.
    OBSTACLE_COLUMNS = 64;

    /// Rows of that grid: an odd number.
    OBSTACLE_ROWS = 33;

    /// How often a boid that is too close to an obstacle, or inside of it, is moved out in one step.
    OBSTACLE_PUSHES = 4;

    /// What happens at the walls of the world, for kernels: nothing.
    WALLS_NONE = 0;
    /// A force pushes boids outside back in.
    WALLS_PUSH = 1;
    /// The velocity is reflected.
    WALLS_BOUNCE = 2;
    /// Boids reenter on the opposite side.
    WALLS_WRAP = 3;

    /// Bits of the influences on boids besides their law and the walls: the nearest target.
    INFLUENCE_TARGETS = 1;
    INFLUENCE_LEADER = 2;
    INFLUENCE_CURRENT = 4;
    INFLUENCE_POINTS = 8;
    INFLUENCE_OBSTACLES = 16;
    /// Some of them are meshes.
    INFLUENCE_MESHES = 32;
    /// Kinds that hunt others.
    INFLUENCE_HUNTERS = 64;

    /// Bits of what holds for the motion of boids under any law: a least speed.
    MANNER_LEAST_SPEED = 1;
    /// Angular noise.
    MANNER_ANGULAR = 2;
    /// Vectorial noise.
    MANNER_VECTORIAL = 4;
    /// Limited turns.
    MANNER_TURN = 8;
    /// A field of view that does not reach all around.
    MANNER_VIEW = 16;
    /// Speeds of its own for each boid.
    MANNER_OWN_SPEED = 32;
    /// No radius: the nearest few count wherever they are.
    MANNER_NO_RADIUS = 64;

    /// Kinds of boids, which a step's parameters have room for.
    MAX_KINDS = 8;

    /// Hunters that are feared from afar, at most.
    MAX_HUNTERS = 256;

    /// Neighbors to which those of a boid may be limited, at most.
    MAX_NEAREST = 32;

    // Set 0 of the simulation kernels: the bindings of the buffers that `flock::buffers` documents. Arrays that kernels
    // may access by address come first.
    BINDING_STEP_PARAMS = 0;
    BINDING_POSITION_VX = 1;
    BINDING_VELOCITY_YZ = 2;
    BINDING_BOID_ID = 3;
    BINDING_SORTED_POSITION_VX = 4;
    BINDING_SORTED_VELOCITY_YZ = 5;
    BINDING_SORTED_BOID_ID = 6;
    BINDING_CELL_RANK = 7;
    BINDING_CELL_COUNTS = 8;
    BINDING_CELL_STARTS = 9;
    BINDING_BLOCK_SUMS = 10;
    BINDING_SORTED_QUANTIZED = 11;
    BINDING_MOVEMENT_WEIGHTS = 12;
    BINDING_CELL_MEMBERS = 13;

    /// Bindings below this one are of arrays that kernels access by address where a descriptor does not cover them.
    /// There is room for two more: the 128 bytes of push constants that Vulkan guarantees hold 16 addresses.
    ADDRESSES = 14;

    BINDING_BLOCK_CROWDING = 16;
    BINDING_CROWDING = 17;
    BINDING_CELL_PAIRS = 18;
    BINDING_CELL_RANGES = 19;
    BINDING_OBSERVED = 20;
    BINDING_ORDER_PARTIALS = 21;
    BINDING_ORDER_MEANS = 22;
    BINDING_MILLING_PARTIALS = 23;
    BINDING_ORDER_RECORD = 24;
    BINDING_LEADER_POSITION = 25;
    // Also in set 0 of the passes of a picture.
    BINDING_OBSTACLE_VOLUMES = 26;
    BINDING_BEHAVIOR = 27;
    BINDING_EACH_PARAMS = 28;

    /// Bindings below this one are of arrays of which each of many flocks has a part.
    PARTS = 28;

    /// Workgroups that sum order parameters: enough to fill a large device, few enough for one workgroup to add their
    /// sums.
    ORDER_GROUPS = 1_024;

    /// Steps whose crowding is kept: more than can be in flight.
    CROWDING_REPORTS = 64;

    /// Set 0 of the passes of a picture: the frame's parameters at 0, the flock's state at its usual bindings, and the
    /// two below.
    BINDING_SCENE_PARAMS = 0;
    /// The boids that are drawn as meshes.
    BINDING_VISIBLE_BOIDS = 32;
    /// Arguments of the indirect draws.
    BINDING_DRAW_COMMANDS = 33;

    /// Set 1 of the passes of a picture: nearest depth and its color in each sample of each pixel.
    BINDING_SAMPLES = 0;
    /// The pixels composed of them.
    BINDING_PIXELS = 1;
    /// How much of its mirror image in the sea the flock covers.
    BINDING_MIRROR = 2;

    /// Set 2 of `cull`: vertices of the coarse mesh in each frame of its clips, its triangles, and
    /// [`BINDING_OBSERVED`].
    BINDING_FAR_FRAMES = 0;
    /// See [`BINDING_FAR_FRAMES`].
    BINDING_FAR_TRIANGLES = 1;

    /// Set 2 of the draw of boids: the clips of their shape, a texture.
    BINDING_CLIPS = 0;
    /// Set 3 of the draw of fish: the texture of their skin.
    BINDING_FISH_SKIN = 0;

    /// Vertices that lie side by side in the texture of clips; those beyond lie below.
    CLIP_COLUMNS = 4_096;

    /// Set 0 of the draw of panels: their texture.
    BINDING_PANEL_TEXTURE = 0;

    /// Samples in a pixel, at the standard places of the Vulkan specification.
    SAMPLES = 4;

    /// Boids drawn as meshes, at most. Vertices of that many take long on any device; further boids are drawn by
    /// `cull`.
    MAX_VISIBLE_BOIDS = 1 << 20;

    /// Vertices, and triangles, of coarse meshes that a workgroup of `cull` handles at once. It numbers triangles by a
    /// byte each.
    SPLAT_BATCH = 2 * CULL_WORKGROUP;

    /// Texels of the mirror image of the flock, from left to right.
    MIRROR_WIDTH = 512;
    /// And from the horizon up.
    MIRROR_HEIGHT = 256;
    /// What a texel counts for each time that boids cover it.
    MIRROR_UNIT = 256;
    /// Boids that `mirror` looks at, at most: of more, it takes an even share.
    MIRROR_BOIDS = 1 << 18;

    /// Edge of the square of pixels that a workgroup of `compose` handles.
    COMPOSE_TILE = 16;

    /// Set 0 of the passes of trails: the frame's parameters and the flock's state as above, and the three below.
    /// Indices of the boids whose trails are drawn.
    BINDING_TRAIL_LIST = 34;
    /// Arguments of the draw of trails.
    BINDING_TRAIL_COMMANDS = 35;
    /// Positions of each boid at the last sampled moments.
    BINDING_TRAIL_HISTORY = 36;
    /// Triangles of the obstacles that are meshes.
    BINDING_OBSTACLE_TRIANGLES = 37;

    /// Set 1 of `value_histogram`: its counts, and [`BINDING_OBSERVED`].
    BINDING_VALUE_COUNTS = 0;

    /// Workgroups of `value_histogram`, at most: few enough for the host to add their counts.
    VALUE_GROUPS = 128;

    /// Bins of values: one below the first octave, then 64 for each.
    VALUE_BINS = 1_022;

    /// Words that a workgroup of `value_histogram` writes: its bins, its least value and its greatest.
    VALUE_PART = VALUE_BINS + 2;

    /// Moments in a trail, at most.
    MAX_TRAIL_SLOTS = 26;

    /// Indirect draw of the boids close enough for the detailed mesh.
    DRAW_NEAR = 0;
    /// Indirect draw of the targets.
    DRAW_TARGETS = 1;

    /// Colors in a ramp: see `SceneParams::ramp`.
    RAMP_COLORS = 9;

    /// Specialization constant 0 of the draws: the backdrop. Sky.
    BACKDROP_SKY = 0;
    /// Open water, seen from inside.
    BACKDROP_WATER = 1;
    /// A sheet of paper.
    BACKDROP_PAPER = 2;

    /// Specialization constant 1 of the draws: what a boid's color shows.
    COLORING_NATURAL = 0;
    /// Which boid it is, by a color of the ramp.
    COLORING_ID = 1;
    /// Which boid it is, by any color that is not too dark.
    COLORING_RANDOM = 2;
    COLORING_HEADING = 3;
    COLORING_SPEED = 4;
    /// Its count of neighbors.
    COLORING_NEIGHBORS = 5;
    /// Whether it lies in the picked cell, in one next to it, or elsewhere.
    COLORING_CELL = 6;
    /// Nothing: nearly black.
    COLORING_SILHOUETTE = 7;
    /// Its state: see `src/transitions.rs`.
    COLORING_STATE = 8;
    COLORING_KIND = 9;

    /// Specialization constant 2 of the draws: which clips a boid has. Those of a bird, which also rolls a little.
    POSE_BIRD = 0;
    /// One, of a rigid mesh.
    POSE_RIGID = 1;
    /// Those of a fish.
    POSE_FISH = 2;

    /// Specialization constant 7 of the draws: what a mesh says of a boid's color. Only factors of it.
    COLORS_PLAIN = 0;
    /// Its vertices have colors of their own.
    COLORS_OWN = 1;
    COLORS_TEXTURE = 2;
}
