#version 460
// scan_downsweep: where each cell's boids start in the sorted flock. Last of the three passes that turn counts
// into starts; one workgroup a block of SCAN_BLOCK cells.
//
// in         cell_counts   4 B a cell
// in         block_sums    boids in all blocks before a block
// out        cell_starts   cell_count + 1 entries: boids in all cells before a cell, and boid_count at the end
// invariant  cell_starts[c + 1] - cell_starts[c] == cell_counts[c], so a cell's boids, and those of any row of
//            cells, are the range between two starts
// cost       8 B a cell; two barriers
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "scan.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
layout(set = 0, binding = BINDING_CELL_COUNTS, scalar) readonly buffer CellCounts { uint cell_counts[]; };
layout(set = 0, binding = BINDING_CELL_STARTS, scalar) writeonly buffer CellStarts { uint cell_starts[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS, scalar) readonly buffer BlockSums { uint block_sums[]; };

void main() {
    uint block = workgroup_index();
    uint first = block * SCAN_BLOCK;
    uint cell_count = params.grid.cell_count;
    // The same for the whole workgroup, so that all of it reaches the barriers in scan_block or none does.
    if (first >= cell_count) {
        return;
    }
    uint values[SCAN_ITEMS_PER_INVOCATION];
    for (uint item = 0u; item < SCAN_ITEMS_PER_INVOCATION; ++item) {
        uint cell = first + scan_place(item);
        values[item] = cell < cell_count ? cell_counts[cell] : 0u;
    }
    uint before = block_sums[block];
    scan_block(values);
    for (uint item = 0u; item < SCAN_ITEMS_PER_INVOCATION; ++item) {
        uint cell = first + scan_place(item);
        if (cell < cell_count) {
            cell_starts[cell] = before + values[item];
        }
    }
    // The end of the last cell, which no count of ours follows.
    if (block == 0u && gl_LocalInvocationIndex == 0u) {
        cell_starts[cell_count] = params.boid_count;
    }
}
