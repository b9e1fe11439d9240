#version 460
// sort_gather: moves every boid to its place in cell order, state and identity alike. Within a cell, boids come in the order of
// their identities, whatever order the atomics of grid_count found them in: so a step leads to the same bits each time.
//
// in         cell_members                                         4 B a boid: the boids of each cell, in any order
// in         position_vx, velocity_yz, boid_id                    28 B a boid, in the order of the last sort
// in         cell_starts                                          4 B a cell
// out        sorted_position_vx, sorted_velocity_yz, sorted_boid_id   28 B a boid
//            sorted_quantized                                     4 B a boid: the position in a word, for a search that asks
// invariant  the sorted flock depends on the state of each boid only, and not on where it was stored
// cost       34 B read, 32 B written a boid, and a comparison for each pair of boids of one cell
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
readonly FLOCK_ARRAY(BINDING_CELL_MEMBERS, CellMembers, cell_members, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);

#include "bounded.glsl"

// Whether the search tests quantized positions.
layout(constant_id = 1) const bool WANTS_QUANTIZED = true;

// Never beyond the flock, even where a driver gave a NaN position two different cells and left an entry out.
uint member(uint i) {
    return min(AT(cell_members, i), params.boid_count - 1u);
}

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    uint boid = member(i);
    uint id = AT(boid_id, boid);
    vec4 moved = AT(position_vx, boid);
    uint cell = cell_id(params.grid, cell_of(params.grid, moved.xyz));
    uvec2 range = bounded(uvec2(AT(cell_starts, cell), AT(cell_starts, cell + 1u)));
    uint place = range.x;
    for (uint j = range.x; j < range.y; ++j) {
        place += AT(boid_id, member(j)) < id ? 1u : 0u;
    }
    // Always true, as in sort_scatter.
    if (place < params.boid_count) {
        AT(sorted_position_vx, place) = moved;
        AT(sorted_velocity_yz, place) = AT(velocity_yz, boid);
        AT(sorted_boid_id, place) = id;
        if (WANTS_QUANTIZED) {
            AT(sorted_quantized, place) = quantized(params.grid, params.quanta, moved.xyz);
        }
    }
}
