#version 460
// scan_downsweep: where each cell's boids start in the sorted flock. Last of the three passes that turn counts
// into starts; one workgroup a block of SCAN_BLOCK cells. An additional workgroup, the first, reports the crowding to
// the host, which saves a dispatch.
//
// in         cell_counts   4 B a cell
// in         block_sums    boids in all blocks before a block
// out        cell_starts   cell_count + 1 entries: boids in all cells before a cell, and boid_count at the end
// in         block_crowding   8 B a block
// out        crowding      one entry a step, read by the host
// invariant  cell_starts[c + 1] - cell_starts[c] == cell_counts[c], so a cell's boids, and those of any row of
//            cells, are the range between two starts
// cost       8 B a cell; one barrier
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "scan.glsl"
#include "crowding.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_CELL_COUNTS, CellCounts, cell_counts, uvec4, 16);
writeonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uvec4, 16);
readonly FLOCK_ARRAY(BINDING_BLOCK_SUMS, BlockSums, block_sums, uint, 4);
readonly SHORT_ARRAY(BINDING_BLOCK_CROWDING, BlockCrowding, block_crowding, Crowding, 8);
writeonly SHORT_ARRAY(BINDING_CROWDING, Reports, crowding, Crowding, 8);

// Combines the crowding of all blocks, and writes it for the host. The whole workgroup must call it.
void report() {
    uint block_count = (params.grid.cell_count + SCAN_BLOCK - 1u) / SCAN_BLOCK;
    Crowding mine = Crowding(0u, 0.0);
    for (uint k = gl_LocalInvocationIndex; k < block_count; k += WORKGROUP_SIZE) {
        mine = both(mine, IN(block_crowding, k));
    }
    put_crowding(mine);
    // RAW: the first subgroup reads what all subgroups wrote.
    barrier();
    if (gl_SubgroupID == 0u) {
        Crowding all = take_crowding();
        if (subgroupElect()) {
            IN(crowding, STEP % CROWDING_REPORTS) = all;
        }
    }
}

void main() {
    if (workgroup_index() == 0u) {
        report();
        return;
    }
    uint block = workgroup_index() - 1u;
    uint first = block * (SCAN_BLOCK / 4u);
    // Vectors that contain a cell. Counts after the last cell are zero, so the starts there are boid_count.
    uint quad_count = (params.grid.cell_count + 3u) / 4u;
    // Uniform in the workgroup, so either all of its invocations reach the barriers in scan_block or none.
    if (first >= quad_count) {
        return;
    }
    uvec4 values[SCAN_QUADS];
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        values[quad] = place < quad_count ? AT(cell_counts, place) : uvec4(0u);
    }
    uint before = AT(block_sums, block);
    scan_block(values);
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        if (place < quad_count) {
            AT(cell_starts, place) = before + values[quad];
        }
    }
    // If the last cell is the last of its vector, boid_count must still be written after it.
    if (block == 0u && gl_LocalInvocationIndex == 0u && params.grid.cell_count % 4u == 0u) {
        AT(cell_starts, quad_count) = uvec4(params.boid_count);
    }
}
