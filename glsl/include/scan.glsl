// The exclusive prefix sum of SCAN_BLOCK values, held in the registers of one workgroup.
//
// Each subgroup owns a contiguous segment of the block and walks it in strides of its own width: its loads are
// coalesced, and a running carry makes the walk a scan. One barrier then lets each subgroup add what the
// subgroups before it own. Correct for any subgroup size, as long as all subgroups are full (the pipeline
// requires it) and there are at most WORKGROUP_SIZE / MIN_SUBGROUP_SIZE of them.
#ifndef SCAN_GLSL
#define SCAN_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared uint subgroup_totals[WORKGROUP_SIZE / MIN_SUBGROUP_SIZE];

// Place in the block of the value number `item` of this invocation.
uint scan_place(uint item) {
    uint stride = gl_SubgroupSize;
    return (gl_SubgroupID * SCAN_ITEMS_PER_INVOCATION + item) * stride + gl_SubgroupInvocationID;
}

// Replaces the block's values by the sums of all values before them; returns the sum of them all.
// Every invocation of the workgroup must call it.
uint scan_block(inout uint values[SCAN_ITEMS_PER_INVOCATION]) {
    uint carry = 0u;
    for (uint item = 0u; item < SCAN_ITEMS_PER_INVOCATION; ++item) {
        uint value = values[item];
        values[item] = carry + subgroupExclusiveAdd(value);
        carry += subgroupAdd(value);
    }
    if (subgroupElect()) {
        subgroup_totals[gl_SubgroupID] = carry;
    }
    // RAW: each subgroup reads the totals that the others wrote.
    barrier();

    // The totals may outnumber the subgroup's invocations (64 of them at a width of 4), so walk them as well.
    uint before = 0u;
    uint total = 0u;
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        before += k < gl_SubgroupID ? subgroup_totals[k] : 0u;
        total += subgroup_totals[k];
    }
    before = subgroupAdd(before);
    for (uint item = 0u; item < SCAN_ITEMS_PER_INVOCATION; ++item) {
        values[item] += before;
    }
    // WAR: the next call may overwrite the totals once everyone has read them.
    barrier();
    return subgroupAdd(total);
}

#endif
