#version 460
// sort_scatter: lists the boids of each cell, in any order.
//
// in         position_vx             16 B a boid, in the order of the last sort
// in         cell_rank, cell_starts  8 B a boid
// out        cell_members            4 B a boid: the boids of each cell, by their places in that order
// invariant  a permutation: starts and ranks give each boid its own place. The cell is computed again
//            instead of stored; the same operations on the same bits give the cell that was counted
// cost       24 B read, 4 B written a boid. After the first step the flock is nearly sorted, and the writes of a
//            subgroup are mostly adjacent
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
writeonly FLOCK_ARRAY(BINDING_CELL_MEMBERS, CellMembers, cell_members, uint, 4);

void main() {
    uint boid = invocation_index();
    if (boid >= params.boid_count) {
        return;
    }
    // Loaded as a whole vec4: in a build by address, the compiler knows the alignment of the whole element only.
    vec4 found = AT(position_vx, boid);
    uint cell = cell_id(params.grid, cell_of(params.grid, found.xyz));
    uint place = AT(cell_starts, cell) + AT(cell_rank, boid);
    // True unless a driver gives a NaN position two different cells; prevents a write out of range.
    if (place < params.boid_count) {
        AT(cell_members, place) = boid;
    }
}
