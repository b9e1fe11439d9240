//! What each of the scene's passes reads and writes.

use crate::vk::{Pass, Stage, Use};

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const VERTEX: Stage = Stage::VERTEX_SHADER;
const FRAGMENT: Stage = Stage::FRAGMENT_SHADER;

pub const DRAW_RESET: Pass<'_> = Pass { name: "draw_reset", stage: Stage::CLEAR, uses: &[Use::clear("draw_commands")] };

pub const CULL: Pass<'_> = Pass {
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

pub const DRAW_BOIDS: Pass<'_> = Pass {
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

/// `draw_boids` of a flock of fish.
pub const DRAW_FISH: Pass<'_> = Pass {
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
        Use::sampled_image("fish_skin"),
        Use::depth_test("depth"),
        Use::depth_write("depth"),
        Use::color_write("color"),
    ],
    ..DRAW_BOIDS
};

/// `draw_boids` in colors of what was observed of each boid.
pub const DRAW_BOIDS_OBSERVED: Pass<'_> = Pass {
    uses: &[
        Use::indirect("draw_commands"),
        Use::indices("mesh_indices"),
        Use::vertices("mesh_vertices"),
        Use::uniform(VERTEX, "scene_params"),
        Use::read(VERTEX, "visible_boids"),
        Use::read(VERTEX, "position_vx"),
        Use::read(VERTEX, "velocity_yz"),
        Use::read(VERTEX, "boid_id"),
        Use::read(VERTEX, "observed"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::depth_write("depth"),
        Use::color_write("color"),
    ],
    ..DRAW_BOIDS
};

/// `draw_boids` of a flock of fish in such colors.
pub const DRAW_FISH_OBSERVED: Pass<'_> = Pass {
    uses: &[
        Use::indirect("draw_commands"),
        Use::indices("mesh_indices"),
        Use::vertices("mesh_vertices"),
        Use::uniform(VERTEX, "scene_params"),
        Use::read(VERTEX, "visible_boids"),
        Use::read(VERTEX, "position_vx"),
        Use::read(VERTEX, "velocity_yz"),
        Use::read(VERTEX, "boid_id"),
        Use::read(VERTEX, "observed"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::sampled_image("fish_skin"),
        Use::depth_test("depth"),
        Use::depth_write("depth"),
        Use::color_write("color"),
    ],
    ..DRAW_BOIDS
};

/// What draws read that a frame's passes write: what all do, what was observed, and what trails need besides.
pub const DRAWN: &[&str] = &[
    "position_vx",
    "velocity_yz",
    "boid_id",
    "visible_boids",
    "draw_commands",
    "observed",
    "trail_history",
    "trail_list",
    "trail_commands",
];

/// The same with trails of a flock that nobody observes.
pub const DRAWN_WITH_TRAILS: &[&str] = &[
    "position_vx",
    "velocity_yz",
    "boid_id",
    "visible_boids",
    "draw_commands",
    "trail_history",
    "trail_list",
    "trail_commands",
];

pub const DRAW_TARGETS_PASS: Pass<'_> = Pass {
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

/// `draw_trails` blends, so that it reads what lies there.
pub const DRAW_TRAILS: Pass<'_> = Pass {
    name: "draw_trails",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::indirect("trail_commands"),
        Use::indices("trail_indices"),
        Use::uniform(VERTEX, "scene_params"),
        Use::read(VERTEX, "position_vx"),
        Use::read(VERTEX, "velocity_yz"),
        Use::read(VERTEX, "boid_id"),
        Use::read(VERTEX, "trail_list"),
        Use::read(VERTEX, "trail_history"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::color_read("color"),
        Use::color_write("color"),
    ],
};

pub const DRAW_CELL: Pass<'_> = Pass {
    name: "draw_cell",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::uniform(VERTEX, "scene_params"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::color_write("color"),
    ],
};

pub const DRAW_SKY: Pass<'_> = Pass {
    name: "draw_sky",
    stage: Stage::COLOR_ATTACHMENT_OUTPUT,
    uses: &[
        Use::uniform(VERTEX, "scene_params"),
        Use::uniform(FRAGMENT, "scene_params"),
        Use::depth_test("depth"),
        Use::color_write("color"),
    ],
};
