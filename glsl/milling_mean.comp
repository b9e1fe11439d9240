#version 460
// milling_mean: computes milling from the workgroups' sums, and writes all order parameters for the host. One
// workgroup.
//
// in         milling_partials   one vec4 for each workgroup of milling_reduce
// in         order_means        the other order parameters
// out        order_record       all order parameters, in memory that the host reads
// cost       one barrier
#extension GL_GOOGLE_include_directive : require
#pragma many
#include "layout.glsl"
#include "dispatch.glsl"
#include "milling.glsl"

#include "params.glsl"
readonly FLOCK_VALUE(BINDING_ORDER_MEANS, OrderMeansOfFlock, order_means, OrderMeans);
readonly FLOCK_ARRAY(BINDING_MILLING_PARTIALS, MillingPartials, milling_partials, vec4, 16);
writeonly FLOCK_VALUE(BINDING_ORDER_RECORD, OrderRecord, order_record, OrderMeans);

void main() {
    uint groups = order_groups(params.boid_count);
    vec4 sum = vec4(0.0);
    vec4 lost = vec4(0.0);
    for (uint k = gl_LocalInvocationIndex; k < groups; k += WORKGROUP_SIZE) {
        add_exactly(sum, lost, AT(milling_partials, k));
    }
    vec4 total = workgroup_vector(sum, lost);
    if (gl_LocalInvocationIndex == 0u) {
        OrderMeans means = THE(order_means);
        means.milling = length(total.xyz) / float(max(params.boid_count - means.non_finite, 1u));
        THE(order_record) = means;
    }
}
