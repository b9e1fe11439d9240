#version 460
// grid_count: how many boids each cell holds, and which of them each boid is.
//
// in         position_vx   16 B a boid
// in, out    cell_counts   all zero before, the number of boids in each cell after
// out        cell_rank     4 B a boid: the old value of the count, hence 0 .. count-1 within a cell, each once
// invariant  the counts add up to boid_count; which boid of a cell gets which rank is up to the device
// cost       16 B read, 4 B written and one atomic a boid; boids of a cell contend, and a sorted flock has them
//            in the same subgroup
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_CELL_RANK, scalar) writeonly buffer CellRank { uint cell_rank[]; };
layout(set = 0, binding = BINDING_CELL_COUNTS, scalar) buffer CellCounts { uint cell_counts[]; };

void main() {
#ifdef WITNESS
    // Never executed. Synchronization validation takes an atomic for a read; by this store it sees that counts are written.
    if (params.boid_count == 0u) {
        cell_counts[0] = 0u;
    }
#endif
    uint boid = invocation_index();
    if (boid >= params.boid_count) {
        return;
    }
    uint cell = cell_id(params.grid, cell_of(params.grid, position_vx[boid].xyz));
    cell_rank[boid] = atomicAdd(cell_counts[cell], 1u);
}
