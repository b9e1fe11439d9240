#version 460
// bitonic_merge: the last stages of a merge, whose pairs are less than BITONIC_BLOCK apart; one workgroup a block.
//
// in, out    cell_pairs   8 B a boid
// cost       16 B a boid; 11 stages, each with a workgroup barrier, instead of 11 dispatches
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
    // No barrier: places half a block apart, which the first stage compares, were loaded by the same invocation.
    load_block(first, params.boid_count);
    stride_stages(BITONIC_BLOCK / 2u);
    store_block(first, params.boid_count);
}
