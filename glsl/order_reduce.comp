#version 460
// order_reduce: sums over the flock before the step, for its order parameters. The boids are divided among at most
// ORDER_GROUPS workgroups; each writes the sums of its own.
//
// in         sorted_position_vx, sorted_velocity_yz   the flock before the step
// in         observed                                 its neighborhoods
// out        order_partials                           one OrderSums a workgroup
// cost       32 B read a boid; one barrier
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "vectors.glsl"
#include "order_sums.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
#include "torus.glsl"

layout(set = 0, binding = BINDING_SORTED_POSITION_VX, scalar) readonly buffer SortedPositionVx {
    vec4 sorted_position_vx[];
};
layout(set = 0, binding = BINDING_SORTED_VELOCITY_YZ, scalar) readonly buffer SortedVelocityYz {
    vec2 sorted_velocity_yz[];
};
layout(set = 0, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };
layout(set = 0, binding = BINDING_ORDER_PARTIALS, scalar) writeonly buffer OrderPartials { OrderSums order_partials[]; };

void main() {
    uint groups = order_groups(params.boid_count);
    vec3 reference = reference_place(sorted_position_vx[reference_boid(params.boid_count)].xyz);
    ExactSums sums = exact_zero();
    for (uint i = invocation_index(); i < params.boid_count; i += groups * WORKGROUP_SIZE) {
        vec4 position_vx = sorted_position_vx[i];
        if (is_far(position_vx.xyz)) {
            sums.sums.non_finite += 1u;
            continue;
        }
        vec3 velocity = vec3(position_vx.w, sorted_velocity_yz[i]);
        Observed near = observed[i];
        float speed = length(velocity);
        add_sums(sums, OrderSums(vec4(way_to(reference, position_vx.xyz), speed), vec4(direction_of(velocity), near.nearest),
                                 float(near.neighbors), speed, speed, near.neighbors, near.neighbors == 0u ? 1u : 0u, 0u));
    }
    OrderSums total = workgroup_total(sums);
    if (gl_LocalInvocationIndex == 0u && workgroup_index() < groups) {
        order_partials[workgroup_index()] = total;
    }
}
