//! Constants that the host and the shaders must agree on.
//!
//! `build.rs` includes this file and hands every entry of [`SHADER_MACROS`] to the shader compiler, so a
//! number is written once and GLSL sees it under the same name.

/// Invocations in every compute workgroup but those of `steer`. 256 is the most that every supported driver
/// offers.
pub const WORKGROUP_SIZE: u32 = 256;

/// Invocations in a workgroup of `steer`, for the searches that do best with another number: the stem of a
/// file under `glsl/searches/`, and the number.
const STEER_WORKGROUPS: &[(&str, u32)] = &[];

/// Invocations in a workgroup of `steer` with the search whose file under `glsl/searches/` has this stem. There,
/// the macro `WORKGROUP_SIZE` has this value.
pub fn steer_workgroup(search: &str) -> u32 {
    STEER_WORKGROUPS.iter().find(|(name, _)| *name == search).map_or(WORKGROUP_SIZE, |(_, size)| *size)
}

/// The narrowest subgroup the kernels accept: it bounds the number of subgroups in a workgroup.
pub const MIN_SUBGROUP_SIZE: u32 = 4;

/// The widest subgroup the kernels accept.
pub const MAX_SUBGROUP_SIZE: u32 = 64;

/// Cells that one invocation of the scan adds up: a multiple of 4, since it reads four at once.
pub const SCAN_ITEMS_PER_INVOCATION: u32 = 16;

/// Cells that one workgroup of the scan handles.
pub const SCAN_BLOCK: u32 = WORKGROUP_SIZE * SCAN_ITEMS_PER_INVOCATION;

/// The same for the scan that takes a single pass.
pub const SINGLE_PASS_ITEMS_PER_INVOCATION: u32 = 24;

/// Cells that one workgroup of the scan in a single pass handles.
pub const SINGLE_PASS_BLOCK: u32 = WORKGROUP_SIZE * SINGLE_PASS_ITEMS_PER_INVOCATION;

/// Pairs that one workgroup of the bitonic sort keeps in shared memory: 16 KiB of them.
pub const BITONIC_BLOCK: u32 = 2_048;

/// Workgroups per dispatch dimension that Vulkan guarantees; longer dispatches fold into two dimensions.
pub const MAX_GROUPS_PER_DIMENSION: u32 = 65_535;

/// Targets that a step's parameters have room for.
pub const MAX_TARGETS: u32 = 16;

/// What happens at the walls of the world, as kernels see it: nothing.
pub const WALLS_NONE: u32 = 0;
/// A force pushes back whoever is outside.
pub const WALLS_PUSH: u32 = 1;
/// Boids are mirrored.
pub const WALLS_BOUNCE: u32 = 2;
/// Boids come back in on the other side.
pub const WALLS_WRAP: u32 = 3;

/// Bits of the influences on boids besides their law and the walls: the nearest target.
pub const INFLUENCE_TARGETS: u32 = 1;
/// The leader.
pub const INFLUENCE_LEADER: u32 = 2;
/// The current.
pub const INFLUENCE_CURRENT: u32 = 4;

/// Set 0 of every simulation kernel: the binding of each buffer. Arrays that kernels may find by address come first.
pub const BINDING_STEP_PARAMS: u32 = 0;
/// Position and x velocity of each boid, in the order of the last sort.
pub const BINDING_POSITION_VX: u32 = 1;
/// y and z velocity of each boid.
pub const BINDING_VELOCITY_YZ: u32 = 2;
/// Identity of each boid.
pub const BINDING_BOID_ID: u32 = 3;
/// [`BINDING_POSITION_VX`], sorted by cell.
pub const BINDING_SORTED_POSITION_VX: u32 = 4;
/// [`BINDING_VELOCITY_YZ`], sorted by cell.
pub const BINDING_SORTED_VELOCITY_YZ: u32 = 5;
/// [`BINDING_BOID_ID`], sorted by cell.
pub const BINDING_SORTED_BOID_ID: u32 = 6;
/// Each boid's place among the boids of its cell.
pub const BINDING_CELL_RANK: u32 = 7;
/// Boids in each cell.
pub const BINDING_CELL_COUNTS: u32 = 8;
/// Exclusive prefix sum of the counts, one entry longer than they are.
pub const BINDING_CELL_STARTS: u32 = 9;
/// Boids in each block of [`SCAN_BLOCK`] cells, replaced by its own exclusive prefix sum.
pub const BINDING_BLOCK_SUMS: u32 = 10;

/// Quantized position of each boid, sorted by cell.
pub const BINDING_SORTED_QUANTIZED: u32 = 11;

/// How much each influence counts for each boid, by identity.
pub const BINDING_MOVEMENT_WEIGHTS: u32 = 12;
/// Bindings below this one are of arrays that kernels find by address, where a descriptor does not reach all of them.
pub const ADDRESSES: u32 = 13;

/// Where the leader was before the step.
pub const BINDING_LEADER_POSITION: u32 = 13;

/// How crowded the cells of each block are.
pub const BINDING_BLOCK_CROWDING: u32 = 14;
/// How crowded all cells are, in the steps last taken: read by the host.
pub const BINDING_CROWDING: u32 = 15;
/// Cell and place of each boid, for a bitonic sort.
pub const BINDING_CELL_PAIRS: u32 = 16;
/// Begin and end of each cell, after a bitonic sort.
pub const BINDING_CELL_RANGES: u32 = 17;
/// Count of neighbors of each boid and distance to the nearest.
pub const BINDING_OBSERVED: u32 = 18;
/// Order parameters: sums of the parts of the flock.
pub const BINDING_ORDER_PARTIALS: u32 = 19;
/// Means over the flock.
pub const BINDING_ORDER_MEANS: u32 = 20;
/// Sums, by parts of the flock, of how it turns around its center.
pub const BINDING_MILLING_PARTIALS: u32 = 21;
/// The means as the host gets them.
pub const BINDING_ORDER_RECORD: u32 = 22;

/// Workgroups that share a flock when its order parameters are summed up: enough to fill a large device, and few enough for
/// one workgroup to add up what they leave.
pub const ORDER_GROUPS: u32 = 1_024;

/// Steps whose crowding is kept: more than can be in flight.
pub const CROWDING_REPORTS: u32 = 64;

/// Set 0 of the cull and draw passes: the frame's parameters at 0, the flock's state at its usual bindings,
/// and the two below.
pub const BINDING_SCENE_PARAMS: u32 = 0;
/// Indices of the boids that the draws show.
pub const BINDING_VISIBLE_BOIDS: u32 = 32;
/// Arguments of the indirect draws.
pub const BINDING_DRAW_COMMANDS: u32 = 33;

/// Set 1 of the draw of fish: their texture.
pub const BINDING_FISH_SKIN: u32 = 0;

/// Set 0 of the passes of trails: the frame's parameters and the flock's state as above, and the three below. Indices of
/// the boids whose trails are drawn.
pub const BINDING_TRAIL_LIST: u32 = 34;
/// Arguments of the draw of trails.
pub const BINDING_TRAIL_COMMANDS: u32 = 35;
/// Where each boid was at the last few moments.
pub const BINDING_TRAIL_HISTORY: u32 = 36;

/// Moments that trails are made of, at most.
pub const MAX_TRAIL_SLOTS: u32 = 26;

/// Indirect draw of the boids close enough for the detailed mesh.
pub const DRAW_NEAR: u32 = 0;
/// Indirect draw of the boids far away.
pub const DRAW_FAR: u32 = 1;
/// Indirect draw of the targets.
pub const DRAW_TARGETS: u32 = 2;

/// Colors of a ramp: see `SceneParams::ramp`.
pub const RAMP_COLORS: u32 = 9;

/// Specialization constant 0 of the draws: what is behind the flock.
pub const BACKDROP_SKY: u32 = 0;
/// Open water, seen from within.
pub const BACKDROP_WATER: u32 = 1;
/// A sheet of paper.
pub const BACKDROP_PAPER: u32 = 2;

/// Specialization constant 1 of the draws: what a boid's color tells.
pub const COLORING_NATURAL: u32 = 0;
/// Which boid it is, by a color of the ramp.
pub const COLORING_ID: u32 = 1;
/// Which boid it is, by any color that is not too dark.
pub const COLORING_RANDOM: u32 = 2;
/// Where it flies to.
pub const COLORING_HEADING: u32 = 3;
/// How fast it flies.
pub const COLORING_SPEED: u32 = 4;
/// How many neighbors it has.
pub const COLORING_NEIGHBORS: u32 = 5;
/// Whether it lies in the picked cell, in one next to it, or elsewhere.
pub const COLORING_CELL: u32 = 6;

/// Specialization constant 2 of the draws: how a boid's mesh moves. Wings beat, and the body rolls a little.
pub const POSE_BIRD: u32 = 0;
/// Not at all.
pub const POSE_RIGID: u32 = 1;

/// Every name that reaches GLSL as a macro with the same value everywhere. `WORKGROUP_SIZE` is defined besides.
pub const SHADER_MACROS: &[(&str, u32)] = &[
    ("MIN_SUBGROUP_SIZE", MIN_SUBGROUP_SIZE),
    ("SCAN_ITEMS_PER_INVOCATION", SCAN_ITEMS_PER_INVOCATION),
    ("SCAN_BLOCK", SCAN_BLOCK),
    ("SINGLE_PASS_ITEMS_PER_INVOCATION", SINGLE_PASS_ITEMS_PER_INVOCATION),
    ("SINGLE_PASS_BLOCK", SINGLE_PASS_BLOCK),
    ("MAX_TARGETS", MAX_TARGETS),
    ("WALLS_NONE", WALLS_NONE),
    ("WALLS_PUSH", WALLS_PUSH),
    ("WALLS_BOUNCE", WALLS_BOUNCE),
    ("WALLS_WRAP", WALLS_WRAP),
    ("INFLUENCE_TARGETS", INFLUENCE_TARGETS),
    ("INFLUENCE_LEADER", INFLUENCE_LEADER),
    ("INFLUENCE_CURRENT", INFLUENCE_CURRENT),
    ("BINDING_STEP_PARAMS", BINDING_STEP_PARAMS),
    ("BINDING_POSITION_VX", BINDING_POSITION_VX),
    ("BINDING_VELOCITY_YZ", BINDING_VELOCITY_YZ),
    ("BINDING_BOID_ID", BINDING_BOID_ID),
    ("BINDING_SORTED_POSITION_VX", BINDING_SORTED_POSITION_VX),
    ("BINDING_SORTED_VELOCITY_YZ", BINDING_SORTED_VELOCITY_YZ),
    ("BINDING_SORTED_BOID_ID", BINDING_SORTED_BOID_ID),
    ("BINDING_CELL_RANK", BINDING_CELL_RANK),
    ("BINDING_CELL_COUNTS", BINDING_CELL_COUNTS),
    ("BINDING_CELL_STARTS", BINDING_CELL_STARTS),
    ("BINDING_BLOCK_SUMS", BINDING_BLOCK_SUMS),
    ("BINDING_SORTED_QUANTIZED", BINDING_SORTED_QUANTIZED),
    ("ADDRESSES", ADDRESSES),
    ("BINDING_OBSERVED", BINDING_OBSERVED),
    ("BINDING_ORDER_PARTIALS", BINDING_ORDER_PARTIALS),
    ("BINDING_ORDER_MEANS", BINDING_ORDER_MEANS),
    ("BINDING_MILLING_PARTIALS", BINDING_MILLING_PARTIALS),
    ("BINDING_ORDER_RECORD", BINDING_ORDER_RECORD),
    ("ORDER_GROUPS", ORDER_GROUPS),
    ("BINDING_BLOCK_CROWDING", BINDING_BLOCK_CROWDING),
    ("BINDING_CROWDING", BINDING_CROWDING),
    ("CROWDING_REPORTS", CROWDING_REPORTS),
    ("BITONIC_BLOCK", BITONIC_BLOCK),
    ("BINDING_CELL_PAIRS", BINDING_CELL_PAIRS),
    ("BINDING_CELL_RANGES", BINDING_CELL_RANGES),
    ("BINDING_MOVEMENT_WEIGHTS", BINDING_MOVEMENT_WEIGHTS),
    ("BINDING_LEADER_POSITION", BINDING_LEADER_POSITION),
    ("BINDING_SCENE_PARAMS", BINDING_SCENE_PARAMS),
    ("BINDING_VISIBLE_BOIDS", BINDING_VISIBLE_BOIDS),
    ("BINDING_DRAW_COMMANDS", BINDING_DRAW_COMMANDS),
    ("BINDING_FISH_SKIN", BINDING_FISH_SKIN),
    ("BINDING_TRAIL_LIST", BINDING_TRAIL_LIST),
    ("BINDING_TRAIL_COMMANDS", BINDING_TRAIL_COMMANDS),
    ("BINDING_TRAIL_HISTORY", BINDING_TRAIL_HISTORY),
    ("MAX_TRAIL_SLOTS", MAX_TRAIL_SLOTS),
    ("DRAW_NEAR", DRAW_NEAR),
    ("DRAW_FAR", DRAW_FAR),
    ("DRAW_TARGETS", DRAW_TARGETS),
    ("RAMP_COLORS", RAMP_COLORS),
    ("BACKDROP_SKY", BACKDROP_SKY),
    ("BACKDROP_WATER", BACKDROP_WATER),
    ("BACKDROP_PAPER", BACKDROP_PAPER),
    ("COLORING_NATURAL", COLORING_NATURAL),
    ("COLORING_ID", COLORING_ID),
    ("COLORING_RANDOM", COLORING_RANDOM),
    ("COLORING_HEADING", COLORING_HEADING),
    ("COLORING_SPEED", COLORING_SPEED),
    ("COLORING_NEIGHBORS", COLORING_NEIGHBORS),
    ("COLORING_CELL", COLORING_CELL),
    ("POSE_BIRD", POSE_BIRD),
    ("POSE_RIGID", POSE_RIGID),
];
