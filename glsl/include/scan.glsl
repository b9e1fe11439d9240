// The exclusive prefix sum of a block of values, held in the registers of one workgroup, four neighbors in each vector.
//
// Each subgroup owns a contiguous segment of the block and scans it in strides of four times its width, with a carry:
// its loads are coalesced and 16 bytes wide. After the only barrier, each subgroup adds the totals of the
// subgroups before it. Correct for any subgroup size, as long as all subgroups are full (the pipeline
// requires it) and there are at most WORKGROUP_SIZE / MIN_SUBGROUP_SIZE of them.
#ifndef SCAN_GLSL
#define SCAN_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// Values of one invocation; a kernel may define another multiple of 4 before it includes this file.
#ifndef SCAN_ITEMS
#define SCAN_ITEMS SCAN_ITEMS_PER_INVOCATION
#endif
const uint SCAN_QUADS = SCAN_ITEMS / 4u;

shared uint subgroup_totals[WORKGROUP_SIZE / MIN_SUBGROUP_SIZE];

// Place in the block, in vectors of four, of the vector number `quad` of this invocation.
uint scan_place(uint quad) {
    return (gl_SubgroupID * SCAN_QUADS + quad) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Replaces the block's values by the sums of all values before them; returns the sum of them all.
// Every invocation of the workgroup must call it. Before another call there must be a barrier().
uint scan_block(inout uvec4 values[SCAN_QUADS]) {
    uint carry = 0u;
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uvec4 value = values[quad];
        uvec3 within = uvec3(value.x, value.x + value.y, value.x + value.y + value.z);
        uint total = within.z + value.w;
        values[quad] = carry + subgroupExclusiveAdd(total) + uvec4(0u, within);
        carry += subgroupAdd(total);
    }
    if (subgroupElect()) {
        subgroup_totals[gl_SubgroupID] = carry;
    }
    // RAW: each subgroup reads the totals that the others wrote.
    barrier();

    // The totals may outnumber the subgroup's invocations (64 of them at a width of 4), so this is a loop.
    uint before = 0u;
    uint total = 0u;
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        before += k < gl_SubgroupID ? subgroup_totals[k] : 0u;
        total += subgroup_totals[k];
    }
    before = subgroupAdd(before);
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        values[quad] += before;
    }
    return subgroupAdd(total);
}

#endif
