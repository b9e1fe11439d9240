#version 460
// sort_list: lists the ids of the boids of each cell, in any order.
//
// in         boid_id        4 B a boid, in the order of the last sort
// in         cell_rank      8 B a boid
// in         cell_starts    4 B a boid, mostly from the cache
// out        cell_members   4 B a boid: the ids of the boids of each cell
// invariant  a permutation of the ids: starts and ranks give each boid its own place. The device chooses the order
//            within a cell, because it chooses the ranks
// cost       12 B read, 4 B written a boid. After the first step the flock is nearly sorted, and the writes of a
//            subgroup are mostly adjacent
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uvec2, 8);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
writeonly FLOCK_ARRAY(BINDING_CELL_MEMBERS, CellMembers, cell_members, uint, 4);

const uint NOWHERE = 0xffffffffu;

void main() {
    // For all items, first every load, then every load that depends on one: so the device waits twice, not twice for
    // each item.
    uint first = workgroup_index() * (WORKGROUP_SIZE * LIST_ITEMS_PER_INVOCATION) + gl_LocalInvocationIndex;
    uvec2 found[LIST_ITEMS_PER_INVOCATION];
    uint id[LIST_ITEMS_PER_INVOCATION];
    for (uint item = 0u; item < LIST_ITEMS_PER_INVOCATION; ++item) {
        uint boid = first + item * WORKGROUP_SIZE;
        bool exists = boid < params.boid_count;
        found[item] = exists ? AT(cell_rank, boid) : uvec2(NOWHERE);
        id[item] = exists ? AT(boid_id, boid) : 0u;
    }
    // Both tests hold for every boid of an intact frame. In one that is broken on purpose, they prevent accesses out of
    // range.
    uint place[LIST_ITEMS_PER_INVOCATION];
    for (uint item = 0u; item < LIST_ITEMS_PER_INVOCATION; ++item) {
        bool is_cell = found[item].x < params.grid.cell_count;
        place[item] = is_cell ? AT(cell_starts, found[item].x) + found[item].y : NOWHERE;
    }
    for (uint item = 0u; item < LIST_ITEMS_PER_INVOCATION; ++item) {
        if (place[item] < params.boid_count) {
            AT(cell_members, place[item]) = id[item];
        }
    }
}
