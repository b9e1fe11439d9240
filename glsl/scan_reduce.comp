#version 460
// scan_reduce: the number of boids in each block of SCAN_BLOCK cells, and the crowding of its cells if the search needs
// it. First of the three passes that turn counts into starts; one workgroup a block.
//
// in         cell_counts   4 B a cell
// out        block_sums, block_crowding   12 B a block
// invariant  the sums add up to boid_count
// cost       4 B read a cell; one barrier
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "crowding.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_CELL_COUNTS, CellCounts, cell_counts, uvec4, 16);
writeonly FLOCK_ARRAY(BINDING_BLOCK_SUMS, BlockSums, block_sums, uint, 4);
writeonly SHORT_ARRAY(BINDING_BLOCK_CROWDING, BlockCrowding, block_crowding, Crowding, 8);

shared uint subgroup_totals[WORKGROUP_SIZE / MIN_SUBGROUP_SIZE];

void main() {
    uint block = workgroup_index();
    uint first = block * (SCAN_BLOCK / 4u) + gl_LocalInvocationIndex;
    // Vectors that contain a cell; counts after the last cell are zero.
    uint quad_count = (params.grid.cell_count + 3u) / 4u;
    uvec4 sums = uvec4(0u);
    uvec4 fullest = uvec4(0u);
    float squares = 0.0;
    for (uint quad = 0u; quad < SCAN_ITEMS_PER_INVOCATION / 4u; ++quad) {
        uint place = first + quad * WORKGROUP_SIZE;
        uvec4 counts = place < quad_count ? AT(cell_counts, place) : uvec4(0u);
        sums += counts;
        fullest = max(fullest, counts);
        squares += dot(vec4(counts), vec4(counts));
    }
    put_crowding(Crowding(max(max(fullest.x, fullest.y), max(fullest.z, fullest.w)), squares));
    uint total = subgroupAdd(sums.x + sums.y + sums.z + sums.w);
    if (subgroupElect()) {
        subgroup_totals[gl_SubgroupID] = total;
    }
    // RAW: the first subgroup reads what all subgroups wrote.
    barrier();

    bool inside = block * SCAN_BLOCK < params.grid.cell_count;
    if (gl_SubgroupID == 0u && inside) {
        uint rest = 0u;
        for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
            rest += subgroup_totals[k];
        }
        uint block_total = subgroupAdd(rest);
        Crowding crowded = take_crowding();
        if (subgroupElect()) {
            AT(block_sums, block) = block_total;
            IN(block_crowding, block) = crowded;
        }
    }
}
