#version 460
// find_leader: finds the positions of the leader and of the hunters that are feared, before the step.
//
// in         sorted_boid_id, sorted_position_vx   the flock before the step
// out        leader_position                      xyz: the leader's position, unchanged if there is no leader; then
//                                                 those of the hunters, by kind and identity, with their kinds in w
// invariant  at most one invocation writes each: no two boids have one identity
// cost       4 B a boid
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
layout(set = 0, binding = BINDING_LEADER_POSITION, scalar) writeonly buffer LeaderPosition { vec4 leader_position[]; };

#include "kinds.glsl"

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    uint id = AT(sorted_boid_id, i);
    if (id == params.leader) {
        leader_position[0] = AT(sorted_position_vx, i);
    }
    uint kind = kind_of(id);
    PackedHunt hunt = params.kinds.hunts[kind];
    uint place = hunt.place + id;
    if (hunt.prey != NO_KIND && hunt.fear > 0.0 && place < MAX_HUNTERS) {
        vec4 found = AT(sorted_position_vx, i);
        leader_position[1u + place] = vec4(found.xyz, float(kind));
    }
}
