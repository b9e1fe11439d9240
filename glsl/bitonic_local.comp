#version 460
// bitonic_local: sorts each block of BITONIC_BLOCK pairs. First pass of the bitonic sort; one workgroup a block.
//
// in, out    cell_pairs   8 B a boid: in any order before, each block in ascending order after
// cost       16 B a boid; 66 stages of a block of 2,048, each with a workgroup barrier
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "bitonic_block.glsl"

#include "params.glsl"

void main() {
    uint first = workgroup_index() * BITONIC_BLOCK;
    // Uniform in the workgroup, so either all of its invocations reach the barriers or none.
    if (first >= params.boid_count) {
        return;
    }
    load_block(first, params.boid_count);
    // RAW: the first stage compares what others have loaded.
    barrier();
    for (uint block = 2u; block <= BITONIC_BLOCK; block *= 2u) {
        mirror_stage(block);
        stride_stages(block / 4u);
    }
    store_block(first, params.boid_count);
}
