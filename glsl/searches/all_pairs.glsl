// The plainest search: every boid is a candidate. The oracle of the others, and what they are measured against; its
// time grows with the square of the count. Needs no grid and no order.
#extension GL_EXT_control_flow_attributes : require
#include "candidate.glsl"
#include "closest_of_all.glsl"

// Candidates of one turn of the loop. Some drivers end every loop after 65,535 turns without a word (Mesa's lavapipe
// did, up to version 22.3): with 4 a turn, 262,140 boids are still all looked at.
const uint CHUNK = 4u;

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    uint whole_chunks = params.boid_count / CHUNK * CHUNK;
    for (uint first = 0u; first < whole_chunks; first += CHUNK) {
        [[unroll]] for (uint k = 0u; k < CHUNK; ++k) {
            uint j = first + k;
            consider(sums, position, j == self_index, sorted_position_vx[j], sorted_velocity_yz[j]);
        }
    }
    consider_range(sums, position, self_index, whole_chunks, params.boid_count);
    return sums;
}
