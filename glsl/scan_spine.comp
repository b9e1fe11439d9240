#version 460
// scan_spine: the exclusive prefix sum of the block sums, in place. Second of the three passes that turn counts
// into starts; ONE workgroup, which loops over tiles of SCAN_BLOCK sums with a carry.
//
// in, out    block_sums   4 B a block: boids in the block before, boids in all blocks before it after
// invariant  monotone up to the last block; the first is 0
// cost       8 B a block; 131,072 blocks (the largest grid) are 32 iterations. A single workgroup, because
//            Vulkan guarantees no forward progress between workgroups: none may wait for another's result
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "scan.glsl"

#include "params.glsl"
FLOCK_ARRAY(BINDING_BLOCK_SUMS, BlockSums, block_sums, uvec4, 16);

void main() {
    uint block_count = (params.grid.cell_count + SCAN_BLOCK - 1u) / SCAN_BLOCK;
    uint carry = 0u;
    for (uint first = 0u; first < block_count; first += SCAN_BLOCK) {
        uvec4 values[SCAN_QUADS];
        for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
            uint block = first + 4u * scan_place(quad);
            // Words after the last sum may hold anything, but do not affect the sums before them.
            values[quad] = block < block_count ? AT(block_sums, block / 4u) : uvec4(0u);
        }
        uint total = scan_block(values);
        for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
            uint block = first + 4u * scan_place(quad);
            if (block < block_count) {
                AT(block_sums, block / 4u) = carry + values[quad];
            }
        }
        carry += total;
        // WAR: the next tile overwrites the totals once all have read them.
        barrier();
    }
}
