// The rows of sorted_grid.glsl, searched in two passes with far fewer bytes and instructions. Finds the same neighbors.
//
//   1. Each candidate is tested by its quantized position, one word instead of four, with four instructions: subtract,
//      dot product of four bytes, compare, shift the sign into a mask. No boid within the radius is missed; one in ten
//      that passes is too far. A word of the mask holds 32 candidates of a row.
//   2. The boids that passed are tested exactly, one per iteration (a turn). Their number in a row differs between
//      invocations, and a subgroup takes as many turns as its busiest invocation. So each invocation queues its words,
//      and the subgroup takes turns only when some queue is full: 48 turns instead of 106, for 37 boids.
//
// src/flock/quanta.rs proves that no neighbor is missed. Read sorted_grid.glsl first: this search is optimized for
// 40 registers, with which a multiprocessor of an H200 holds 48 subgroups; docs/performance.md lists the gain of each
// change.
#pragma by_address
#pragma nearest
#pragma many
#extension GL_EXT_integer_dot_product : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require

readonly FLOCK_ARRAY(BINDING_SORTED_QUANTIZED, SortedQuantized, sorted_quantized, uvec4, 16);  // of four boids each

#include "bounded.glsl"
#include "grid.glsl"
#ifdef NEAREST_FEW
#include "nearest.glsl"
#endif
#include "closest_in_rows.glsl"
#include "perception.glsl"
#include "quanta.glsl"
#include "torus.glsl"

// By how much more than the radius a wall may be away: rounding may let a boid slightly beyond the radius pass.
const float WIDENED_REACH = 1.0 + 1.0 / 1024.0;

const uint ROWS = 9u;
const uint OWN_ROW = 4u;

// Words that a queue holds: a power of two. More would use more shared memory, and fewer subgroups would fit.
const uint QUEUE = 4u;
const uint RING = QUEUE * WORKGROUP_SIZE - 1u;
shared uvec2 queue[QUEUE * WORKGROUP_SIZE];

// The work of one invocation. Its places in the queue are each WORKGROUP_SIZE-th from its own number on, modulo RING +
// 1.
struct Work {
    uint near;  // the current word: bit k stands for boid `last - k`
    uint last;
    uint head;  // the next word in the queue
    uint tail;  // the end of the queue
};

// The boid's place, kept for the nine rows in two registers.
struct Place {
    uint yz;    // of its cell: y in the upper half, z in the lower
    uint rows;  // bit k: row k exists
};

// Whether a boid of the subgroup is so near to a wall that it sees through it. Only then rows go on behind the walls,
// and shortest ways are calculated: others search as without a torus.
bool is_at_wall;

Place place_of(Grid grid, uvec3 cell) {
    uint in_z = 2u | (cell.z > 0u ? 1u : 0u) | (cell.z + 1u < grid.dims.z ? 4u : 0u);
    uint rows = in_z << 3 | (cell.y > 0u ? in_z : 0u) | (cell.y + 1u < grid.dims.y ? in_z << 6 : 0u);
    if (WALLS == WALLS_WRAP && is_at_wall) {
        // All exist, but a row that lies on both sides is visited once: see cell_beside.
        in_z = 2u | (grid.dims.z > 2u ? 1u : 0u) | (grid.dims.z > 1u ? 4u : 0u);
        rows = in_z << 3 | (grid.dims.y > 2u ? in_z : 0u) | (grid.dims.y > 1u ? in_z << 6 : 0u);
    }
    // A shuffle from the invocation itself keeps the compiler from recomputing the cell in each row.
    return Place(subgroupShuffle(cell.y << 16 | cell.z, gl_SubgroupInvocationID), rows);
}

// The candidates in a row: boids_on_chord of rows.glsl, with values that do not depend on the boid read from a table.
uvec4 candidates_in(uint row, Place place, vec3 t) {
    Grid grid = params.grid;
    GridRow beside = params.chords.rows[row];
    uvec2 yz = uvec2(place.yz >> 16, place.yz & 0xffffu);
    float gap_y = max(beside.gap_y.x + beside.gap_y.y * (t.y - float(yz.x) * grid.cell_size.y), 0.0);
    float gap_z = max(beside.gap_z.x + beside.gap_z.y * (t.z - float(yz.y) * grid.cell_size.z), 0.0);
    float half_squared = params.chords.radius_squared - gap_y * gap_y - gap_z * gap_z;
    if (half_squared < 0.0 || (place.rows >> row & 1u) == 0u) {
        return uvec4(0u);
    }
    float x = t.x * grid.inv_cell_size.x;
    float half_chord = sqrt(half_squared) + params.chords.slack;
    if (WALLS == WALLS_WRAP && is_at_wall) {
        uint y = cell_beside(yz.x, int(row / 3u) - 1, grid.dims.y);
        uint z = cell_beside(yz.y, int(row % 3u) - 1, grid.dims.z);
        uvec4 columns = cell_id(grid, uvec3(0u, y, z)) + columns_around(x - half_chord, x + half_chord, grid.dims.x);
        return uvec4(bounded(uvec2(AT(cell_starts, columns.x), AT(cell_starts, columns.y))),
                     bounded(uvec2(AT(cell_starts, columns.z), AT(cell_starts, columns.w))));
    }
    uint start = cell_id(grid, uvec3(0u, yz)) + beside.cells;
    uint first = start + uint(clamp(x - half_chord, 0.0, params.chords.last_column));
    uint last = start + uint(clamp(x + half_chord, 0.0, params.chords.last_column));
    return uvec4(bounded(uvec2(AT(cell_starts, first), AT(cell_starts, last + 1u))), 0u, 0u);
}

// 1 if the candidate may be within the radius. The difference is per byte, except for borrows, which near_bias allows
// for.
uint may_be_near(uint self, uint candidate) {
    int difference = int(self - candidate);
    return uint(dotPacked4x8EXT(difference, difference) + params.quanta.near_bias) >> 31;
}

// Shifts the results for four candidates into the mask.
uint shift_in(uint near, uint self, uvec4 candidates) {
    near = near << 1 | may_be_near(self, candidates.x);
    near = near << 1 | may_be_near(self, candidates.y);
    near = near << 1 | may_be_near(self, candidates.z);
    return near << 1 | may_be_near(self, candidates.w);
}

// Tests the next candidates, 32 at most, removes them from the range, and queues those that may be near.
void test_quantized(inout Work work, inout uvec2 range, uint self, uint self_index, bool own_row) {
    uint at = range.x / 4u;
    uint end = min(at + 8u, (range.y + 3u) / 4u);
    uint near = 0u;
    for (; at < end; at += 2u) {
        uvec4 a = AT(sorted_quantized, at);
        uvec4 b = AT(sorted_quantized, at + 1u);
        near = shift_in(shift_in(near, self, a), self, b);
    }
    // Bit 0 is the boid before `behind`. Drop those after the range, and before it.
    uint behind = 4u * at;
    near &= 0xffffffffu << max(int(behind - range.y), 0);
    near &= 0xffffffffu >> ((range.x - behind) & 31u);
    range.x = behind;
    if (own_row) {
        uint self_bit = behind - 1u - self_index;
        near &= ~(self_bit < 32u ? 1u << self_bit : 0u);
    }
    if (near != 0u) {
        queue[work.tail & RING] = uvec2(near, behind - 1u);
        work.tail += WORKGROUP_SIZE;
    }
}

bool is_near_wall(vec3 position) {
    // From the middle no way through a wall is shorter.
    vec3 reach = min(vec3(params.rules.search_radius * WIDENED_REACH), params.world.half_size);
    return any(lessThan(position - low_walls(), reach)) || any(lessThan(high_walls() - position, reach));
}

// Takes the next boid that passed the first test, if any is left, and adds it if it is a neighbor. Without a branch: if
// none is left, the boid itself is processed and does not count.
void take_turn(inout Sums sums, inout Work work, vec3 position, uint self_index) {
    if (work.near == 0u && work.head != work.tail) {
        uvec2 word = queue[work.head & RING];
        work.near = word.x;
        work.last = word.y;
        work.head += WORKGROUP_SIZE;
    }
    bool some = work.near != 0u;
    uint bit = uint(findMSB(work.near)) & 31u;
    work.near &= ~(1u << bit);
    uint j = some ? work.last - bit : self_index;
    vec4 other = AT(sorted_position_vx, j);
    Boid boid = unpack_boid(other, AT(sorted_velocity_yz, j));
    vec3 offset = other.xyz - position;
    if (WALLS == WALLS_WRAP) {
        if (is_at_wall) {
            offset = shortest_way(position, other.xyz);
        }
    }
    bool counts = perceives(some, offset, j);
#ifdef NEAREST_FEW
    if (NEAREST != 0u) {
        choose(counts, offset, j);
        return;
    }
#endif
    accumulate(sums, boid, offset, squared_length(offset), counts);
}

// Takes turns until every queue of the subgroup has room for a word: after the current word, the next is taken.
void make_room(inout Sums sums, inout Work work, vec3 position, uint self_index) {
    bool full = work.tail - work.head == QUEUE * WORKGROUP_SIZE;
    uint turns = subgroupMax(full ? bitCount(work.near) + 1u : 0u);
    for (; turns > 0u; --turns) {
        take_turn(sums, work, position, self_index);
    }
}

// Takes turns until no word is left.
void finish(inout Sums sums, inout Work work, vec3 position, uint self_index) {
    uint rest = bitCount(work.near);
    for (uint k = 0u; k < QUEUE * WORKGROUP_SIZE; k += WORKGROUP_SIZE) {
        rest += k < work.tail - work.head ? bitCount(queue[(work.head + k) & RING].x) : 0u;
    }
    uint turns = subgroupMax(rest);
    for (; turns > 0u; --turns) {
        take_turn(sums, work, position, self_index);
    }
}

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    Work work = Work(0u, 0u, gl_LocalInvocationIndex, gl_LocalInvocationIndex);
    vec3 t = position - params.grid.origin;
    if (WALLS == WALLS_WRAP) {
        is_at_wall = subgroupAny(is_near_wall(position));
    }
    Place place = place_of(params.grid, cell_of(params.grid, position));
    uint self = quantized_self(params.grid, params.quanta, position);

    for (uint row = 0u; row < ROWS; ++row) {
        uvec4 ranges = candidates_in(row, place, t);
        uvec2 range = ranges.xy;
        // In a flock of usual density once is enough. A loop that tests first would copy all sums at each end.
        test_quantized(work, range, self, self_index, row == OWN_ROW);
        make_room(sums, work, position, self_index);
        while (subgroupAny(range.x < range.y)) {
            test_quantized(work, range, self, self_index, row == OWN_ROW);
            make_room(sums, work, position, self_index);
        }
        if (WALLS == WALLS_WRAP && is_at_wall) {
            range = ranges.zw;
            while (subgroupAny(range.x < range.y)) {
                test_quantized(work, range, self, self_index, row == OWN_ROW);
                make_room(sums, work, position, self_index);
            }
        }
    }
    finish(sums, work, position, self_index);
    return sums;
}
