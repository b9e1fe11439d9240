#version 460
// order_mean: computes means over the flock from the workgroups' sums. One workgroup.
//
// in         order_partials       one OrderSums for each workgroup of order_reduce
// in         sorted_position_vx   of the reference boid, from which offsets are measured
// out        order_means          all order parameters except milling, which needs the center computed here
// cost       one barrier
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "order_sums.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
layout(set = 0, binding = BINDING_SORTED_POSITION_VX, scalar) readonly buffer SortedPositionVx {
    vec4 sorted_position_vx[];
};
layout(set = 0, binding = BINDING_ORDER_PARTIALS, scalar) readonly buffer OrderPartials { OrderSums order_partials[]; };
layout(set = 0, binding = BINDING_ORDER_MEANS, scalar) writeonly buffer OrderMeansOfFlock { OrderMeans order_means; };

void main() {
    uint groups = order_groups(params.boid_count);
    ExactSums sums = exact_zero();
    for (uint k = gl_LocalInvocationIndex; k < groups; k += WORKGROUP_SIZE) {
        add_sums(sums, order_partials[k]);
    }
    OrderSums total = workgroup_total(sums);
    if (gl_LocalInvocationIndex != 0u) {
        return;
    }
    uint kept = params.boid_count - total.non_finite;
    // Without a finite boid, all sums are zero.
    float boids = float(max(kept, 1u));
    vec3 reference = reference_place(sorted_position_vx[reference_boid(params.boid_count)].xyz);
    uint in_company = kept - total.alone;
    order_means.center = reference + total.offset_speed.xyz / boids;
    order_means.polarization = length(total.heading_nearest.xyz) / boids;
    order_means.milling = 0.0;
    order_means.neighbors = total.neighbors / boids;
    order_means.nearest = in_company > 0u ? total.heading_nearest.w / float(in_company) : 0.0;
    order_means.speed = total.offset_speed.w / boids;
    order_means.least_speed = kept > 0u ? total.least_speed : 0.0;
    order_means.most_speed = total.most_speed;
    order_means.most_neighbors = total.most_neighbors;
    order_means.alone = total.alone;
    order_means.non_finite = total.non_finite;
    order_means.step = params.step;
}
