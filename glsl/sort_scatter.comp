#version 460
// sort_scatter: moves the state and identity of each boid to its place in cell order.
//
// in         position_vx, velocity_yz, boid_id                        28 B a boid, in the order of the last sort
// in         cell_rank, cell_starts                                   8 B a boid
// out        sorted_position_vx, sorted_velocity_yz, sorted_boid_id   28 B a boid
//            sorted_quantized                                         4 B a boid: the quantized position, if the search needs it
// invariant  a permutation: starts and ranks give each boid its own place. The cell is computed again
//            instead of stored; the same operations on the same bits give the cell that was counted
// cost       36 B read, 32 B written a boid. After the first step the flock is nearly sorted, and the writes of a
//            subgroup are mostly adjacent
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"
#include "quanta.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
writeonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
writeonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
writeonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
writeonly FLOCK_ARRAY(BINDING_SORTED_QUANTIZED, SortedQuantized, sorted_quantized, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);

// Whether the search tests quantized positions.
layout(constant_id = 0) const bool WANTS_QUANTIZED = true;

void main() {
    uint boid = invocation_index();
    if (boid >= params.boid_count) {
        return;
    }
    vec4 moved = AT(position_vx, boid);
    uint cell = cell_id(params.grid, cell_of(params.grid, moved.xyz));
    uint place = AT(cell_starts, cell) + AT(cell_rank, boid);
    // True unless a driver gives a NaN position two different cells; prevents a write out of range.
    if (place < params.boid_count) {
        AT(sorted_position_vx, place) = moved;
        AT(sorted_velocity_yz, place) = AT(velocity_yz, boid);
        AT(sorted_boid_id, place) = AT(boid_id, boid);
        if (WANTS_QUANTIZED) {
            AT(sorted_quantized, place) = quantized(params.grid, params.quanta, moved.xyz);
        }
    }
}
