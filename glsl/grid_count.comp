#version 460
// grid_count: counts the boids of each cell, finds the cell of each boid, and gives it a rank there.
//
// in         position_vx   16 B a boid
// in, out    cell_counts   all zero before, the number of boids in each cell after
// out        cell_rank     8 B a boid: its cell, and its rank there: 0 .. count-1, each once
// invariant  the counts add up to boid_count; the device chooses which boid of a cell gets which rank
// cost       per boid 16 B read, 8 B written; one atomic for each run of boids of one cell in a subgroup. The flock is
//            in the previous step's cell order, so mostly the boids of a cell are one run
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma by_address
#pragma many
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
writeonly FLOCK_ARRAY(BINDING_CELL_RANK, CellRank, cell_rank, uvec2, 8);
FLOCK_ARRAY(BINDING_CELL_COUNTS, CellCounts, cell_counts, uint, 4);

const uint NO_CELL = 0xffffffffu;

void main() {
#ifdef WITNESS
    // Only with WITNESS, and never run. Synchronization validation treats an atomic as a read; this store shows it the
    // write to cell_counts.
    if (params.boid_count == 0u) {
        AT(cell_counts, 0) = 0u;
    }
#endif
    uint boid = invocation_index();
    // No early return: the subgroup operations need all invocations. Those beyond the last boid are a separate run.
    bool exists = boid < params.boid_count;
    uint cell = NO_CELL;
    if (exists) {
        // Loaded as a whole vec4: built by address, the compiler knows the alignment of the whole element only.
        vec4 found = AT(position_vx, boid);
        cell = cell_id(params.grid, cell_of(params.grid, found.xyz));
    }

    // The first invocation of a run, whose predecessor has another cell, adds the count of the whole run.
    uint lane = gl_SubgroupInvocationID;
    uint cell_before = subgroupShuffle(cell, max(lane, 1u) - 1u);
    bool leads = lane == 0u || cell != cell_before;
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
        AT(cell_rank, boid) = uvec2(cell, rank);
    }
}
