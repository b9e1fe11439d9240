// How crowded the cells are: the most boids in one cell, and the sum of the squares of all counts. The host bounds by them
// how many candidates a search will visit: see src/flock/crowding.rs.
#ifndef CROWDING_GLSL
#define CROWDING_GLSL

#include "layout.glsl"

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// Whether the search asks for it.
layout(constant_id = 0) const bool WANTS_CROWDING = true;

shared Crowding subgroup_crowding[WORKGROUP_SIZE / MIN_SUBGROUP_SIZE];

// Both sets of cells together.
Crowding both(Crowding a, Crowding b) {
    return Crowding(max(a.fullest, b.fullest), a.squares + b.squares);
}

// Leaves what the invocations of a subgroup have, taken together, for the whole workgroup. A barrier() comes next.
void put_crowding(Crowding mine) {
    Crowding all = Crowding(subgroupMax(mine.fullest), subgroupAdd(mine.squares));
    if (subgroupElect()) {
        subgroup_crowding[gl_SubgroupID] = all;
    }
}

// What all subgroups have left, taken together. For all invocations of a subgroup at once.
Crowding take_crowding() {
    Crowding mine = Crowding(0u, 0.0);
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        mine = both(mine, subgroup_crowding[k]);
    }
    return Crowding(subgroupMax(mine.fullest), subgroupAdd(mine.squares));
}

#endif
