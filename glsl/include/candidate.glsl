// One candidate of a search. Include it after the law.
#ifndef CANDIDATE_GLSL
#define CANDIDATE_GLSL

#include "bounded.glsl"
#include "nearest.glsl"
#include "perception.glsl"
#include "torus.glsl"

// Passes candidate `j` to the law without a test: one that is too far adds nothing, and neither does the boid itself.
// With a branch, a subgroup would mostly execute both sides and also pay for the divergence (8 % of steer).
void consider(inout Sums sums, vec3 position, uint j, bool is_self, vec4 other_position_vx, vec2 other_velocity_yz) {
    vec3 offset = way_to(position, other_position_vx.xyz);
    bool counts = perceives(!is_self, offset, j);
    if (NEAREST != 0u) {
        choose(counts, offset, j);
        return;
    }
    accumulate(sums, unpack_boid(other_position_vx, other_velocity_yz), offset, squared_length(offset), counts);
}

// The candidates begin .. end-1 of the sorted flock.
void consider_range(inout Sums sums, vec3 position, uint self_index, uint begin, uint end) {
    uvec2 range = bounded(uvec2(begin, end));
    for (uint j = range.x; j < range.y; ++j) {
        consider(sums, position, j, j == self_index, AT(sorted_position_vx, j), AT(sorted_velocity_yz, j));
    }
}

#endif
