#version 460
// pair_gather: gathers the state in cell order, so that the boids of a cell are contiguous in memory.
//
// in         cell_pairs                                               8 B a boid, in ascending order
// in         position_vx, velocity_yz, boid_id                        28 B a boid
// out        sorted_position_vx, sorted_velocity_yz, sorted_boid_id   28 B a boid
// invariant  a permutation: state and identity at a place belong to one boid
// cost       64 B a boid
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"

#include "params.glsl"
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_VELOCITY_YZ, scalar) readonly buffer VelocityYz { vec2 velocity_yz[]; };
layout(set = 0, binding = BINDING_BOID_ID, scalar) readonly buffer BoidId { uint boid_id[]; };
layout(set = 0, binding = BINDING_SORTED_POSITION_VX, scalar) writeonly buffer SortedPositionVx {
    vec4 sorted_position_vx[];
};
layout(set = 0, binding = BINDING_SORTED_VELOCITY_YZ, scalar) writeonly buffer SortedVelocityYz {
    vec2 sorted_velocity_yz[];
};
layout(set = 0, binding = BINDING_SORTED_BOID_ID, scalar) writeonly buffer SortedBoidId { uint sorted_boid_id[]; };
layout(set = 0, binding = BINDING_CELL_PAIRS, scalar) readonly buffer CellPairs { uvec2 cell_pairs[]; };

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    uint boid = cell_pairs[i].y;
    sorted_position_vx[i] = position_vx[boid];
    sorted_velocity_yz[i] = velocity_yz[boid];
    sorted_boid_id[i] = boid_id[boid];
}
