#version 460
// milling_reduce: the sum of r/|r| × v/|v| over the flock, where r is a boid's offset from the center of mass. The
// boids are divided among at most ORDER_GROUPS workgroups; each writes the sum of its own.
//
// in         sorted_position_vx, sorted_velocity_yz   the flock before the step
// in         order_means                              its center
// out        milling_partials                         one vec4 a workgroup
// cost       24 B read a boid; one barrier
#extension GL_GOOGLE_include_directive : require
#pragma many
#include "layout.glsl"
#include "dispatch.glsl"
#include "vectors.glsl"
#include "milling.glsl"

#include "params.glsl"
#include "torus.glsl"

readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
readonly FLOCK_VALUE(BINDING_ORDER_MEANS, OrderMeansOfFlock, order_means, OrderMeans);
writeonly FLOCK_ARRAY(BINDING_MILLING_PARTIALS, MillingPartials, milling_partials, vec4, 16);

void main() {
    uint groups = order_groups(params.boid_count);
    vec3 center = THE(order_means).center;
    vec4 sum = vec4(0.0);
    vec4 lost = vec4(0.0);
    for (uint i = invocation_index(); i < params.boid_count; i += groups * WORKGROUP_SIZE) {
        vec4 position_vx = AT(sorted_position_vx, i);
        if (is_far(position_vx.xyz)) {
            continue;
        }
        vec3 heading = direction_of(vec3(position_vx.w, AT(sorted_velocity_yz, i)));
        add_exactly(sum, lost, vec4(cross(direction_of(way_to(center, position_vx.xyz)), heading), 0.0));
    }
    vec4 total = workgroup_vector(sum, lost);
    if (gl_LocalInvocationIndex == 0u && workgroup_index() < groups) {
        AT(milling_partials, workgroup_index()) = total;
    }
}
