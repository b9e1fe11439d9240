// The simplest search: every boid is a candidate. The reference for the others; its
// time is quadratic in the count. Needs no grid and no order.
#extension GL_EXT_control_flow_attributes : require
#include "candidate.glsl"
#include "closest_of_all.glsl"

// Candidates per iteration. Some drivers silently end every loop after 65,535 iterations (Mesa's lavapipe
// did, up to version 22.3): with 4 per iteration, up to 262,140 boids are tested.
const uint CHUNK = 4u;

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    uint whole_chunks = params.boid_count / CHUNK * CHUNK;
    for (uint first = 0u; first < whole_chunks; first += CHUNK) {
        [[unroll]] for (uint k = 0u; k < CHUNK; ++k) {
            uint j = first + k;
            consider(sums, position, j, j == self_index, sorted_position_vx[j], sorted_velocity_yz[j]);
        }
    }
    consider_range(sums, position, self_index, whole_chunks, params.boid_count);
    return sums;
}
