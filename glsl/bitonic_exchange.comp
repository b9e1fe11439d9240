#version 460
// bitonic_exchange: one stage of a merge whose pairs are too far apart for one workgroup's block. One comparison per
// invocation.
//
// in         stage        which stage: the block that is merged, and the stride, or 0 for the mirrored first stage
// in, out    cell_pairs   8 B a boid
// cost       16 B a boid at most; a merge of blocks of 2^k has k - 11 of these, and a sort of 2^20 boids 45
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "bitonic.glsl"

#include "params.glsl"
layout(push_constant, scalar) uniform Push { BitonicStage stage; };

void main() {
    uint c = invocation_index();
    uvec2 places = stage.stride == 0u ? mirrored(c, stage.block) : strided(c, stage.stride);
    // Places after the last pair act as infinity, which is not moved. The first test catches indices that overflow.
    if (places.x >= places.y || places.y >= params.boid_count) {
        return;
    }
    uvec2 low = cell_pairs[places.x];
    uvec2 high = cell_pairs[places.y];
    if (behind(low, high)) {
        cell_pairs[places.x] = high;
        cell_pairs[places.y] = low;
    }
}
