#version 460
// scan_single_pass: where each cell's boids start, in one pass instead of three; one workgroup a block of
// SINGLE_PASS_BLOCK cells.
// `starlings bench --scan` compares it with the three passes of a step; docs/adr/0003 says why a step does not use it.
//
// in         cell_counts   4 B a cell
// in, out    block_sums    4 B a block, all zero before: the block's present state, a kind and a sum in one word
// out        cell_starts   cell_count + 1 entries: boids in all cells before a cell, and boid_count at the end
// invariant  a block's word changes only from zero to the block's own sum to the sum of all blocks up to it, so an old
//            value is correct too
// cost       8 B a cell, where three passes move 12
//
// A workgroup publishes its block's sum and looks back: it adds the words of the preceding blocks, one per invocation of a
// subgroup, back to one that has the sum of all up to it (Merrill and Garland 2016, decoupled look-back).
// A word may still be missing, and Vulkan does not guarantee that the workgroup which writes it runs while this one
// waits. So after a few reads this workgroup sums that block's counts, which are inputs, itself
// (Smith, Levien and Owens 2025, decoupled fallback). No workgroup waits for another without limit.
//
// Kind and sum share a word, so one relaxed atomic reads both; workgroups exchange no other data.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "layout.glsl"
#include "dispatch.glsl"
#define SCAN_ITEMS SINGLE_PASS_ITEMS_PER_INVOCATION
#include "scan.glsl"

// For tests: one of so many blocks publishes nothing, as if its workgroup did not run. 0 for none.
layout(constant_id = 0) const uint SILENT_EVERY = 0u;

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
layout(set = 0, binding = BINDING_CELL_COUNTS, scalar) readonly buffer CellCounts { uvec4 cell_counts[]; };
layout(set = 0, binding = BINDING_CELL_STARTS, scalar) writeonly buffer CellStarts { uvec4 cell_starts[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS, scalar) coherent buffer BlockSums { uint block_sums[]; };

const uint OWN = 1u << 30;      // the sum of the block alone
const uint UP_TO = 2u << 30;    // the sum of all blocks up to it
const uint SUM = OWN - 1u;      // the bits of the sum: 30, hence fewer than 2^30 boids
const uint NO_BLOCK = 0xffffffffu;

// Reads of a missing word before the block is summed here. A few, because most words arrive within one.
const uint LOOKS = 16u;

shared uint sum_before;
shared uint missing;

bool is_silent(uint block) {
    return SILENT_EVERY != 0u && block % max(SILENT_EVERY, 1u) == 1u;
}

// The first subgroup adds the words of the blocks before `end` to `sum`, and writes to `missing` the block whose word
// is missing. Returns the block before which to continue; 0 if none is left.
uint look_back(uint end, inout uint sum) {
    for (uint looks = 0u; looks < LOOKS;) {
        uint back = gl_SubgroupInvocationID;
        // Before the first block the sum of all blocks is zero.
        uint word = back < end ? atomicOr(block_sums[end - 1u - back], 0u) : UP_TO;
        uvec4 unknown = subgroupBallot(word < OWN);
        uvec4 complete = subgroupBallot(word >= UP_TO);
        uint first_unknown = unknown == uvec4(0u) ? gl_SubgroupSize : subgroupBallotFindLSB(unknown);
        uint first_complete = complete == uvec4(0u) ? gl_SubgroupSize : subgroupBallotFindLSB(complete);
        uint known = min(first_unknown, first_complete + 1u);
        sum += subgroupAdd(back < known ? word & SUM : 0u);
        end -= min(known, end);
        looks = known == 0u ? looks + 1u : 0u;
        if (first_complete < first_unknown) {
            end = 0u;
            break;
        }
    }
    if (subgroupElect()) {
        sum_before = sum;
        missing = end == 0u ? NO_BLOCK : end - 1u;
    }
    return end;
}

// The sum of a block's counts. Every invocation of the workgroup must call it.
uint sum_of_block(uint block, uint quad_count) {
    uvec4 values[SCAN_QUADS];
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = block * (SINGLE_PASS_BLOCK / 4u) + scan_place(quad);
        values[quad] = place < quad_count ? cell_counts[place] : uvec4(0u);
    }
    return scan_block(values);
}

void main() {
    uint block = workgroup_index();
    uint first = block * (SINGLE_PASS_BLOCK / 4u);
    uint quad_count = (params.grid.cell_count + 3u) / 4u;
    // Uniform in the workgroup.
    if (first >= quad_count) {
        return;
    }
    uvec4 values[SCAN_QUADS];
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        values[quad] = place < quad_count ? cell_counts[place] : uvec4(0u);
    }
    uint total = scan_block(values);
    bool speaks = gl_LocalInvocationIndex == 0u && !is_silent(block);
    if (speaks) {
        atomicMax(block_sums[block], OWN | total);
    }

    uint end = block;
    uint sum = 0u;
    for (;;) {
        // RAW: what the fallback has published. WAR: the place of the missing block.
        barrier();
        if (gl_SubgroupID == 0u) {
            end = look_back(end, sum);
        }
        // RAW: what the first subgroup found.
        barrier();
        if (missing == NO_BLOCK) {
            break;
        }
        uint fallback = sum_of_block(missing, quad_count);
        if (gl_LocalInvocationIndex == 0u) {
            atomicMax(block_sums[missing], OWN | fallback);
        }
    }
    uint before = sum_before;
    if (speaks) {
        atomicMax(block_sums[block], UP_TO | (before + total));
    }
    for (uint quad = 0u; quad < SCAN_QUADS; ++quad) {
        uint place = first + scan_place(quad);
        if (place < quad_count) {
            cell_starts[place] = before + values[quad];
        }
    }
    // If the last cell is the last of its vector, boid_count must still be written after it.
    if (block == 0u && gl_LocalInvocationIndex == 0u && params.grid.cell_count % 4u == 0u) {
        cell_starts[quad_count] = uvec4(params.boid_count);
    }
}
