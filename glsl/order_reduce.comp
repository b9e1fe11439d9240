#version 460
// order_reduce: sums over the flock before the step, for its order parameters. The boids are divided among at most
// ORDER_GROUPS workgroups; each writes the sums of its own.
//
// in         sorted_position_vx, sorted_velocity_yz   the flock before the step
// in         observed                                 its neighborhoods
// out        order_partials                           one OrderSums a workgroup
// cost       32 B read a boid; one barrier
#extension GL_GOOGLE_include_directive : require
#pragma many
#include "layout.glsl"
#include "dispatch.glsl"
#include "vectors.glsl"
#include "order_sums.glsl"

#include "params.glsl"
#include "torus.glsl"

readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_OBSERVED, ObservedBoids, observed, Observed, 8);
writeonly FLOCK_ARRAY(BINDING_ORDER_PARTIALS, OrderPartials, order_partials, OrderSums, 56);

void main() {
    uint groups = order_groups(params.boid_count);
    vec3 reference = reference_place(AT(sorted_position_vx, reference_boid(params.boid_count)).xyz);
    ExactSums sums = exact_zero();
    for (uint i = invocation_index(); i < params.boid_count; i += groups * WORKGROUP_SIZE) {
        vec4 position_vx = AT(sorted_position_vx, i);
        if (is_far(position_vx.xyz)) {
            sums.sums.non_finite += 1u;
            continue;
        }
        vec3 velocity = vec3(position_vx.w, AT(sorted_velocity_yz, i));
        Observed near = AT(observed, i);
        float speed = length(velocity);
        add_sums(sums, OrderSums(vec4(way_to(reference, position_vx.xyz), speed),
            vec4(direction_of(velocity), near.nearest), float(near.neighbors), speed, speed, near.neighbors,
            near.neighbors == 0u ? 1u : 0u, 0u));
    }
    OrderSums total = workgroup_total(sums);
    if (gl_LocalInvocationIndex == 0u && workgroup_index() < groups) {
        AT(order_partials, workgroup_index()) = total;
    }
}
