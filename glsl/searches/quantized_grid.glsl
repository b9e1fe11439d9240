// The rows of sorted_grid.glsl, searched in two passes over far fewer bytes and instructions. The same neighbors, exactly.
//
//   1. Each candidate is tested by its quantized position, a word in place of four, with four instructions: subtract,
//      dot product of four bytes, compare, shift the sign into a mask. Nobody within the radius is missed; one in seven that
//      passes is too far. A word of the mask holds 32 candidates of a row.
//   2. The boids that passed are tested exactly. A row leaves one invocation two of them and its neighbor nine, and a
//      subgroup takes as many turns as its busiest invocation. So the words wait in a queue, and the subgroup takes
//      turns, each invocation from its own queue, only when some queue is full: 51 turns instead of 106, for 39 boids.
//
// src/flock/grid.rs has the argument that nobody is missed. sorted_grid.glsl is the one to read first.
#pragma wide
#extension GL_EXT_integer_dot_product : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require

readonly FLOCK_ARRAY(BINDING_SORTED_QUANTIZED, SortedQuantized, sorted_quantized, uvec4, 16);  // of four boids each

#include "rows.glsl"
#include "closest_in_rows.glsl"

// A squared distance that no radius reaches.
const float BEYOND = 3.0e38;

// Words that can wait: a power of two. More of them take shared memory, and with it subgroups off the processor.
const uint QUEUE = 4u;
const uint RING = (QUEUE - 1u) * WORKGROUP_SIZE;
shared uvec2 queue[QUEUE * WORKGROUP_SIZE];

// What one invocation has to do. Bit 31 - k of a word stands for boid `last - 31 + k`.
struct Work {
    uint near;  // the word at work
    uint last;  // the boid of its lowest bit
    uint head;  // the next word in the queue, in steps of WORKGROUP_SIZE
    uint tail;  // the end of the queue
};

uvec2 queued(uint place) {
    return queue[(place & RING) | gl_LocalInvocationIndex];
}

// Takes the next boid that passed the first test, if any is left, and adds it if it is a neighbor. Without a branch: where
// nothing is left, the boid itself goes the same way and adds zero.
void take_turn(inout Sums sums, inout Work work, vec3 position, uint self_index) {
    if (work.near == 0u && work.head != work.tail) {
        uvec2 word = queued(work.head);
        work.near = word.x;
        work.last = word.y;
        work.head += WORKGROUP_SIZE;
    }
    bool some = work.near != 0u;
    uint bit = uint(findMSB(work.near)) & 31u;
    work.near &= ~(1u << bit);
    uint j = some ? work.last - bit : self_index;
    vec4 other = AT(sorted_position_vx, j);
    vec3 offset = other.xyz - position;
    accumulate(sums, unpack_boid(other, AT(sorted_velocity_yz, j)), offset, some ? dot(offset, offset) : BEYOND);
}

// 1 if the candidate may be within the radius. The difference is per byte: the guard bits of `self` keep the borrow of one
// byte from reaching the next.
uint may_be_near(uint self, uint candidate, int near_limit) {
    int difference = int(self - candidate);
    return uint(dotPacked4x8EXT(difference, difference) - near_limit - 1) >> 31;
}

// Shifts the answers for four candidates into the mask.
uint shift_in(uint near, uint self, uvec4 candidates, int near_limit) {
    near = near << 1 | may_be_near(self, candidates.x, near_limit);
    near = near << 1 | may_be_near(self, candidates.y, near_limit);
    near = near << 1 | may_be_near(self, candidates.z, near_limit);
    return near << 1 | may_be_near(self, candidates.w, near_limit);
}

// The candidates from `first`, a multiple of 4, to `end` that may be near, but at most 32 of them.
uint near_among(uint self, uint first, uint end, int near_limit) {
    uint count = min(end - first, 32u);
    uint quads = (count + 7u) / 8u * 2u;
    uint near = 0u;
    for (uint at = first / 4u, stop = at + quads; at < stop; at += 2u) {
        uvec4 a = AT(sorted_quantized, at);
        uvec4 b = AT(sorted_quantized, at + 1u);
        near = shift_in(shift_in(near, self, a, near_limit), self, b, near_limit);
    }
    // Drop those behind the end, and put the first one into bit 31.
    uint surplus = 4u * quads - count;
    return near >> surplus << ((32u - count) & 31u);
}

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    Work work = Work(0u, 0u, 0u, 0u);
    Grid grid = params.grid;
    vec3 t = position - grid.origin;
    uvec3 cell = cell_of(grid, position);
    uint self = quantized_self(grid, position);
    float radius_squared = params.squared_radii.search * WIDENED;

    for (int dy = -1; dy <= 1; ++dy) {
        float left = left_beside(radius_squared, dy, t.y, cell.y, grid.cell_size.y, grid.dims.y, grid.slack);
        for (int dz = -1; dz <= 1; ++dz) {
            float half_squared = left_beside(left, dz, t.z, cell.z, grid.cell_size.z, grid.dims.z, grid.slack);
            // No `continue` for an empty row: the subgroup stays together for the turns.
            uvec2 range = uvec2(0u);
            if (half_squared >= 0.0) {
                range = boids_on_chord(grid, t.x, cell.y + uint(dy), cell.z + uint(dz), half_squared);
            }
            uint first = range.x & ~3u;
            do {
                uint near = near_among(self, first, max(first, range.y), grid.near_limit);
                near &= 0xffffffffu >> (max(range.x, first) - first);
                if (dy == 0 && dz == 0 && self_index - first < 32u) {
                    near &= ~(0x80000000u >> (self_index - first));
                }
                if (near != 0u) {
                    queue[(work.tail & RING) | gl_LocalInvocationIndex] = uvec2(near, first + 31u);
                    work.tail += WORKGROUP_SIZE;
                }
                // A full queue has room again once the word at work is done and the next is taken.
                bool full = work.tail - work.head == QUEUE * WORKGROUP_SIZE;
                for (uint turns = subgroupMax(full ? bitCount(work.near) + 1u : 0u); turns > 0u; --turns) {
                    take_turn(sums, work, position, self_index);
                }
                first += 32u;
            } while (subgroupAny(first < range.y));
        }
    }
    uint rest = bitCount(work.near);
    for (uint place = work.head; place != work.tail; place += WORKGROUP_SIZE) {
        rest += bitCount(queued(place).x);
    }
    for (uint turns = subgroupMax(rest); turns > 0u; --turns) {
        take_turn(sums, work, position, self_index);
    }
    return sums;
}
