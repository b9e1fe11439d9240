#version 460
// find_leader: finds the position of the leader before the step.
//
// in         sorted_boid_id, sorted_position_vx   the flock before the step
// out        leader_position                      xyz: the leader's position; unchanged if there is no leader
// invariant  at most one invocation writes: no two boids have one identity
// cost       4 B a boid
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
layout(set = 0, binding = BINDING_LEADER_POSITION, scalar) writeonly buffer LeaderPosition { vec4 leader_position; };

void main() {
    uint i = invocation_index();
    if (i < params.boid_count && AT(sorted_boid_id, i) == params.leader) {
        leader_position = AT(sorted_position_vx, i);
    }
}
