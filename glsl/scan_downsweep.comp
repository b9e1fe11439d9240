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
#include "array.glsl"
#include "dispatch.glsl"
#include "scan.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
FLOCK_ARRAY(BINDING_CELL_COUNTS) readonly buffer CellCounts { uvec4 cell_counts[]; };
FLOCK_ARRAY(BINDING_CELL_STARTS) writeonly buffer CellStarts { uvec4 cell_starts[]; };
FLOCK_ARRAY(BINDING_BLOCK_SUMS) readonly buffer BlockSums { uint block_sums[]; };

#include "wide.glsl"

void main() {
    uint block = workgroup_index();
    uint first = block * (SCAN_BLOCK / 4u);
    // Vectors with a cell in them. The counts behind the last cell are zero, so the starts there are the end of its boids.
    uint quad_count = (params.grid.cell_count + 3u) / 4u;
    // The same for the whole workgroup, so that all of it reaches the barriers in scan_block or none does.
    if (first >= quad_count) {
        return;
    }
    uvec4 values[SCAN_QUADS];
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        values[quad] = place < quad_count ? cell_counts[place] : uvec4(0u);
    }
    uint before = block_sums[block];
    scan_block(values);
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        if (place < quad_count) {
            cell_starts[place] = before + values[quad];
        }
    }
    // Where the last cell is the last of its vector, the end of its boids is still to be written.
    if (block == 0u && gl_LocalInvocationIndex == 0u && params.grid.cell_count % 4u == 0u) {
        cell_starts[quad_count] = uvec4(params.boid_count);
    }
}
