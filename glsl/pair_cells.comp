#version 460
// pair_cells: pairs the cell of each boid with the boid's place in the state, as input of the bitonic sort.
//
// in         position_vx   16 B a boid
// out        cell_pairs    8 B a boid: cell, place
// invariant  each place occurs once
// cost       24 B a boid
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

#include "params.glsl"
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_CELL_PAIRS, scalar) writeonly buffer CellPairs { uvec2 cell_pairs[]; };

void main() {
    uint boid = invocation_index();
    if (boid < params.boid_count) {
        cell_pairs[boid] = uvec2(cell_id(params.grid, cell_of(params.grid, position_vx[boid].xyz)), boid);
    }
}
