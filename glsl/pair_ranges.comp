#version 460
// pair_ranges: the begin and end of each cell in the sorted pairs, written by the cell's first and last pair.
//
// in         cell_pairs    8 B a boid, in ascending order
// in, out    cell_ranges   8 B a cell: a mark before; begin and end of each cell with boids after
// invariant  an empty cell keeps its mark, whose begin is not before its end
// cost       8 B read a boid (adjacent pairs come from the cache) and 8 B written a cell in use
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"

#include "params.glsl"
layout(set = 0, binding = BINDING_CELL_PAIRS, scalar) readonly buffer CellPairs { uvec2 cell_pairs[]; };
layout(set = 0, binding = BINDING_CELL_RANGES, scalar) writeonly buffer CellRanges { uvec2 cell_ranges[]; };

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    uint cell = cell_pairs[i].x;
    if (i == 0u || cell_pairs[i - 1u].x != cell) {
        cell_ranges[cell].x = i;
    }
    if (i + 1u == params.boid_count || cell_pairs[i + 1u].x != cell) {
        cell_ranges[cell].y = i + 1u;
    }
}
