// All pairs through shared memory: the workgroup loads a tile of as many boids as it has invocations, and each
// invocation tests the whole tile before the next is loaded. Each boid is read from memory once per workgroup instead
// of once per boid. Any count is allowed: places after the last boid do not count, like the boid itself.
#extension GL_EXT_control_flow_attributes : require
#include "candidate.glsl"
#include "closest_of_all.glsl"

// Candidates per iteration of the inner loop: see all_pairs.glsl.
const uint CHUNK = 4u;

shared vec4 tile_position_vx[WORKGROUP_SIZE];
shared vec2 tile_velocity_yz[WORKGROUP_SIZE];

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    for (uint first = 0u; first < params.boid_count; first += WORKGROUP_SIZE) {
        uint mine = first + gl_LocalInvocationIndex;
        bool there = mine < params.boid_count;
        tile_position_vx[gl_LocalInvocationIndex] = there ? sorted_position_vx[mine] : vec4(0.0);
        tile_velocity_yz[gl_LocalInvocationIndex] = there ? sorted_velocity_yz[mine] : vec2(0.0);
        // RAW: all invocations read what the others loaded.
        barrier();
        for (uint turn = 0u; turn < WORKGROUP_SIZE; turn += CHUNK) {
            [[unroll]] for (uint k = 0u; k < CHUNK; ++k) {
                uint j = first + turn + k;
                bool beyond = j == self_index || j >= params.boid_count;
                consider(sums, position, beyond ? self_index : j, beyond, tile_position_vx[turn + k],
                    tile_velocity_yz[turn + k]);
            }
        }
        // WAR: the next tile overwrites this one once all have read it.
        barrier();
    }
    return sums;
}
