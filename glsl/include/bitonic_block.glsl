// The stages of a bitonic sort that stay within one block of BITONIC_BLOCK pairs: done in shared memory by one
// workgroup, without a dispatch for each.
#ifndef BITONIC_BLOCK_GLSL
#define BITONIC_BLOCK_GLSL

#include "bitonic.glsl"

shared uvec2 block_pairs[BITONIC_BLOCK];

void put_in_order(uvec2 places) {
    uvec2 low = block_pairs[places.x];
    uvec2 high = block_pairs[places.y];
    if (behind(low, high)) {
        block_pairs[places.x] = high;
        block_pairs[places.y] = low;
    }
}

// Each invocation loads places that are WORKGROUP_SIZE apart.
void load_block(uint first, uint count) {
    for (uint k = gl_LocalInvocationIndex; k < BITONIC_BLOCK; k += WORKGROUP_SIZE) {
        block_pairs[k] = first + k < count ? cell_pairs[first + k] : INFINITE_PAIR;
    }
}

void store_block(uint first, uint count) {
    for (uint k = gl_LocalInvocationIndex; k < BITONIC_BLOCK; k += WORKGROUP_SIZE) {
        if (first + k < count) {
            cell_pairs[first + k] = block_pairs[k];
        }
    }
}

void mirror_stage(uint block) {
    for (uint c = gl_LocalInvocationIndex; c < BITONIC_BLOCK / 2u; c += WORKGROUP_SIZE) {
        put_in_order(mirrored(c, block));
    }
    // RAW: the next stage compares other pairs.
    barrier();
}

// Every stage from `stride` down to 1.
void stride_stages(uint stride) {
    for (; stride > 0u; stride /= 2u) {
        for (uint c = gl_LocalInvocationIndex; c < BITONIC_BLOCK / 2u; c += WORKGROUP_SIZE) {
            put_in_order(strided(c, stride));
        }
        // RAW: the next stage compares other pairs.
        barrier();
    }
}

#endif
