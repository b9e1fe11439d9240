// A vector, added up over the invocations of a workgroup.
#ifndef MILLING_GLSL
#define MILLING_GLSL

#include "order.glsl"

shared vec4 subgroup_vectors[SUBGROUPS];

// The total of `sum` and its rounding error, in the workgroup's first subgroup. Every invocation of the workgroup must
// call it.
vec4 workgroup_vector(vec4 sum, vec4 lost) {
    vec4 total = subgroupAdd(sum + lost);
    if (subgroupElect()) {
        subgroup_vectors[gl_SubgroupID] = total;
    }
    // RAW: the first subgroup reads what all subgroups wrote.
    barrier();
    vec4 rest = vec4(0.0);
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        rest += subgroup_vectors[k];
    }
    return subgroupAdd(rest);
}

#endif
