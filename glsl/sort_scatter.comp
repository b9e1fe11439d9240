#version 460
// sort_scatter: moves the state and identity of each boid to its place in cell order. Within a cell, boids are in the
// order of their ids, whatever ranks the atomics of grid_count gave them: so a step from the same state gives the same
// bits.
//
// in         position_vx, velocity_yz, boid_id                        28 B a boid, in the order of the last sort
// in         cell_members, cell_starts                                8 B a boid
// in         cell_rank                                                only in frames that are broken on purpose
// out        sorted_position_vx, sorted_velocity_yz, sorted_boid_id   28 B a boid
//            sorted_quantized                                         4 B a boid: the quantized position, if the search
//                                                                     needs it
// invariant  a permutation: each boid of a cell counts those with a lower id. The sorted flock depends on the state of
//            each boid, and not on where it was stored. The cell is computed again instead of read; the same operations
//            on the same bits give the cell that was counted
// cost       36 B read, 32 B written a boid, and a comparison for each pair of boids of one cell. After the first step
//            the flock is nearly sorted, and the writes of a subgroup are mostly adjacent
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"
#include "quanta.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
writeonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
writeonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
writeonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
writeonly FLOCK_ARRAY(BINDING_SORTED_QUANTIZED, SortedQuantized, sorted_quantized, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uvec2, 8);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_MEMBERS, CellMembers, cell_members, uvec4, 16);

#include "bounded.glsl"

// Whether the search tests quantized positions.
layout(constant_id = 1) const bool WANTS_QUANTIZED = true;

void main() {
    uint boid = invocation_index();
    if (boid >= params.boid_count) {
        return;
    }
    vec4 moved = AT(position_vx, boid);
    uint cell = cell_id(params.grid, cell_of(params.grid, moved.xyz));
    uint id = AT(boid_id, boid);
    uvec2 range = uvec2(AT(cell_starts, cell), AT(cell_starts, cell + 1u));
    uint place = range.x;
    if (is_bounded(range)) {
        // Four at once. The first and the last four may contain boids of other cells.
        for (uint quad = range.x / 4u; quad * 4u < range.y; ++quad) {
            uvec4 ids = AT(cell_members, quad);
            uvec4 from_start = quad * 4u + uvec4(0u, 1u, 2u, 3u) - range.x;
            uvec4 counted = uvec4(lessThan(ids, uvec4(id))) & uvec4(lessThan(from_start, uvec4(range.y - range.x)));
            place += counted.x + counted.y + counted.z + counted.w;
        }
    } else {
        // Too many to compare with, so in any order; but each boid still has its own place.
        place += AT(cell_rank, boid).y;
    }
    // True unless a driver gives a NaN position two different cells; prevents a write out of range.
    if (place < params.boid_count) {
        AT(sorted_position_vx, place) = moved;
        AT(sorted_velocity_yz, place) = AT(velocity_yz, boid);
        AT(sorted_boid_id, place) = id;
        if (WANTS_QUANTIZED) {
            AT(sorted_quantized, place) = quantized(params.grid, params.quanta, moved.xyz);
        }
    }
}
