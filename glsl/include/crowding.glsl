// Crowding of the cells: the largest count of a cell, and the sum of the squares of all counts. The host estimates from
// them how many candidates a search will visit: see src/flock/crowding.rs.
#ifndef CROWDING_GLSL
#define CROWDING_GLSL

#include "layout.glsl"

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared Crowding subgroup_crowding[WORKGROUP_SIZE / MIN_SUBGROUP_SIZE];

// The crowding of both sets of cells together.
Crowding both(Crowding a, Crowding b) {
    return Crowding(max(a.fullest, b.fullest), a.squares + b.squares);
}

// Combines the crowding of a subgroup's invocations and stores it for the workgroup. Call barrier() next.
void put_crowding(Crowding mine) {
    Crowding all = Crowding(subgroupMax(mine.fullest), subgroupAdd(mine.squares));
    if (subgroupElect()) {
        subgroup_crowding[gl_SubgroupID] = all;
    }
}

// Combines what all subgroups have stored. All invocations of a subgroup must call it.
Crowding take_crowding() {
    Crowding mine = Crowding(0u, 0.0);
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        mine = both(mine, subgroup_crowding[k]);
    }
    return Crowding(subgroupMax(mine.fullest), subgroupAdd(mine.squares));
}

#endif
