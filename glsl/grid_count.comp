#version 460
// grid_count: how many boids each cell holds, and which of them each boid is.
//
// in         position_vx   16 B a boid
// in, out    cell_counts   all zero before, the number of boids in each cell after
// out        cell_rank     4 B a boid: the old value of the count, hence 0 .. count-1 within a cell, each once
// invariant  the counts add up to boid_count; which boid of a cell gets which rank is up to the device
// cost       16 B read, 4 B written a boid, and one atomic for each run of boids of one cell in a subgroup. The flock lies in
//            the cell order of the step before, so the boids of a cell are mostly such a run
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma by_address
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
writeonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uint, 4);
FLOCK_ARRAY(BINDING_CELL_COUNTS, CellCounts, cell_counts, uint, 4);

const uint NO_CELL = 0xffffffffu;

void main() {
#ifdef WITNESS
    // Never executed. Synchronization validation takes an atomic for a read; by this store it sees that counts are written.
    if (params.boid_count == 0u) {
        AT(cell_counts, 0) = 0u;
    }
#endif
    uint boid = invocation_index();
    // Nobody returns: the subgroup works together. Invocations behind the last boid are a run of their own.
    bool exists = boid < params.boid_count;
    uint cell = NO_CELL;
    if (exists) {
        // As a whole: where it is loaded in part, a build by address cannot tell the compiler how it is aligned.
        vec4 found = AT(position_vx, boid);
        cell = cell_id(params.grid, cell_of(params.grid, found.xyz));
    }

    // A run is led by the first invocation whose neighbor below has another cell. It counts for all of them.
    uint lane = gl_SubgroupInvocationID;
    uint cell_below = subgroupShuffle(cell, max(lane, 1u) - 1u);
    bool leads = lane == 0u || cell != cell_below;
    uvec4 leaders = subgroupBallot(leads);
    uint leader = subgroupBallotFindMSB(leaders & gl_SubgroupLeMask);
    uvec4 leaders_above = leaders & gl_SubgroupGtMask;
    uint end = leaders_above == uvec4(0u) ? gl_SubgroupSize : subgroupBallotFindLSB(leaders_above);

    uint rank = 0u;
    if (leads && exists) {
        rank = atomicAdd(AT(cell_counts, cell), end - lane);
    }
    rank = subgroupShuffle(rank, leader) + lane - leader;
    if (exists) {
        AT(cell_rank, boid) = rank;
    }
}
