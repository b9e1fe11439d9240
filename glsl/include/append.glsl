// Appending to a list, with at most one atomic for each subgroup.
#ifndef APPEND_GLSL
#define APPEND_GLSL

#extension GL_KHR_shader_subgroup_ballot : require

// Adds the invocations of the subgroup for which `wanted` holds to `counter`, and sets `place` to this one's place
// among all that were added so far. A macro, because an atomic needs the counter itself and not a copy of it.
#define APPEND(counter, wanted, place) { \
    uvec4 wanting = subgroupBallot(wanted); \
    uint wanting_count = subgroupBallotBitCount(wanting); \
    uint first_place = 0u; \
    if (subgroupElect() && wanting_count > 0u) { \
        first_place = atomicAdd(counter, wanting_count); \
    } \
    place = subgroupBroadcastFirst(first_place) + subgroupBallotExclusiveBitCount(wanting); \
}

#endif
