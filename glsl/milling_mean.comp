#version 460
// milling_mean: computes milling from the workgroups' sums, and writes all order parameters for the host. One workgroup.
//
// in         milling_partials   one vec4 for each workgroup of milling_reduce
// in         order_means        the other order parameters
// out        order_record       all order parameters, in memory that the host reads
// cost       one barrier
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "milling.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
layout(set = 0, binding = BINDING_ORDER_MEANS, scalar) readonly buffer OrderMeansOfFlock { OrderMeans order_means; };
layout(set = 0, binding = BINDING_MILLING_PARTIALS, scalar) readonly buffer MillingPartials { vec4 milling_partials[]; };
layout(set = 0, binding = BINDING_ORDER_RECORD, scalar) writeonly buffer OrderRecord { OrderMeans order_record; };

void main() {
    uint groups = order_groups(params.boid_count);
    vec4 sum = vec4(0.0);
    vec4 lost = vec4(0.0);
    for (uint k = gl_LocalInvocationIndex; k < groups; k += WORKGROUP_SIZE) {
        add_exactly(sum, lost, milling_partials[k]);
    }
    vec4 total = workgroup_vector(sum, lost);
    if (gl_LocalInvocationIndex == 0u) {
        OrderMeans means = order_means;
        means.milling = length(total.xyz) / float(max(params.boid_count - means.non_finite, 1u));
        order_record = means;
    }
}
