#version 460
// sort_scatter: moves every boid to its place in cell order, state and identity alike.
//
// in         position_vx, velocity_yz, boid_id                        28 B a boid, in the order of the last sort
// in         cell_rank, cell_starts                                   8 B a boid
// out        sorted_position_vx, sorted_velocity_yz, sorted_boid_id   28 B a boid
//            sorted_quantized                                         4 B a boid: the position in a word
// invariant  a permutation: starts and ranks give each boid a place of its own. The cell is computed again
//            instead of stored; the same operations on the same bits give the cell that was counted
// cost       36 B read, 32 B written a boid. After the first step the flock is nearly sorted, and the writes of a
//            subgroup fall together
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
FLOCK_ARRAY(BINDING_POSITION_VX) readonly buffer PositionVx { vec4 position_vx[]; };
FLOCK_ARRAY(BINDING_VELOCITY_YZ) readonly buffer VelocityYz { vec2 velocity_yz[]; };
FLOCK_ARRAY(BINDING_BOID_ID) readonly buffer BoidId { uint boid_id[]; };
FLOCK_ARRAY(BINDING_SORTED_POSITION_VX) writeonly buffer SortedPositionVx {
    vec4 sorted_position_vx[];
};
FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ) writeonly buffer SortedVelocityYz {
    vec2 sorted_velocity_yz[];
};
FLOCK_ARRAY(BINDING_SORTED_BOID_ID) writeonly buffer SortedBoidId { uint sorted_boid_id[]; };
FLOCK_ARRAY(BINDING_SORTED_QUANTIZED) writeonly buffer SortedQuantized {
    uint sorted_quantized[];
};
FLOCK_ARRAY(BINDING_CELL_RANK) readonly buffer CellRank { uint cell_rank[]; };
FLOCK_ARRAY(BINDING_CELL_STARTS) readonly buffer CellStarts { uint cell_starts[]; };

#include "wide.glsl"

void main() {
    uint boid = invocation_index();
    if (boid >= params.boid_count) {
        return;
    }
    vec4 moved = position_vx[boid];
    uint cell = cell_id(params.grid, cell_of(params.grid, moved.xyz));
    uint place = cell_starts[cell] + cell_rank[boid];
    // Always true, unless a driver gives a NaN position two different cells: never write out of range.
    if (place < params.boid_count) {
        sorted_position_vx[place] = moved;
        sorted_velocity_yz[place] = velocity_yz[boid];
        sorted_boid_id[place] = boid_id[boid];
        sorted_quantized[place] = quantized(params.grid, moved.xyz);
    }
}
