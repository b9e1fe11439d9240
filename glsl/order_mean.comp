#version 460
// order_mean: computes means over the flock from the workgroups' sums. One workgroup.
//
// in         order_partials       one OrderSums for each workgroup of order_reduce
// in         sorted_position_vx   of the reference boid, from which offsets are measured
// out        order_means          all order parameters except milling, which needs the center computed here
// cost       one barrier
#extension GL_GOOGLE_include_directive : require
#pragma many
#include "layout.glsl"
#include "dispatch.glsl"
#include "order_sums.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_ORDER_PARTIALS, OrderPartials, order_partials, OrderSums, 56);
writeonly FLOCK_VALUE(BINDING_ORDER_MEANS, OrderMeansOfFlock, order_means, OrderMeans);

void main() {
    uint groups = order_groups(params.boid_count);
    ExactSums sums = exact_zero();
    for (uint k = gl_LocalInvocationIndex; k < groups; k += WORKGROUP_SIZE) {
        add_sums(sums, AT(order_partials, k));
    }
    OrderSums total = workgroup_total(sums);
    if (gl_LocalInvocationIndex != 0u) {
        return;
    }
    uint kept = params.boid_count - total.non_finite;
    // Without a finite boid, all sums are zero.
    float boids = float(max(kept, 1u));
    vec3 reference = reference_place(AT(sorted_position_vx, reference_boid(params.boid_count)).xyz);
    uint in_company = kept - total.alone;
    THE(order_means).center = reference + total.offset_speed.xyz / boids;
    THE(order_means).polarization = length(total.heading_nearest.xyz) / boids;
    THE(order_means).milling = 0.0;
    THE(order_means).neighbors = total.neighbors / boids;
    THE(order_means).nearest = in_company > 0u ? total.heading_nearest.w / float(in_company) : 0.0;
    THE(order_means).speed = total.offset_speed.w / boids;
    THE(order_means).least_speed = kept > 0u ? total.least_speed : 0.0;
    THE(order_means).most_speed = total.most_speed;
    THE(order_means).most_neighbors = total.most_neighbors;
    THE(order_means).alone = total.alone;
    THE(order_means).non_finite = total.non_finite;
    THE(order_means).step = STEP;
}
