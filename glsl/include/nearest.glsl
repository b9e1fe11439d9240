// The nearest few of those that a boid perceives. A search passes its candidates to `choose`, which keeps a list of the
// nearest so far; then the law counts those in the list. Include it before the search, after the law.
//
// The default search has this in another build of it only: that a kernel contains an array which is indexed by a
// variable, even in code that is never run, costs 3 % of a step on an H200.
#ifndef NEAREST_GLSL
#define NEAREST_GLSL
#extension GL_EXT_control_flow_attributes : require

#include "perception.glsl"
#include "torus.glsl"

// At most so many neighbors, the nearest; of equally near ones, those of the lowest ids. 0 for no limit.
layout(constant_id = 4) const uint NEAREST = 0u;

// The nearest so far, in ascending order. Loops over them are unrolled, so that they stay in registers.
float chosen_squared[MAX_NEAREST];
uint chosen_id[MAX_NEAREST];
uint chosen_place[MAX_NEAREST];

const uint NO_PLACE = 0xffffffffu;

bool is_before(float squared, uint id, uint k) {
    return squared < chosen_squared[k] || (squared == chosen_squared[k] && id < chosen_id[k]);
}

void put(uint k, float squared, uint id, uint place) {
    chosen_squared[k] = squared;
    chosen_id[k] = id;
    chosen_place[k] = place;
}

// Takes the candidate into the list if it is among the nearest.
void choose(bool may_count, vec3 offset, uint candidate) {
    float squared = precise_dot(offset, offset);
    if (!may_count || squared > chosen_squared[NEAREST - 1u]) {
        return;
    }
    uint id = AT(sorted_boid_id, candidate);
    bool is_earlier = is_before(squared, id, NEAREST - 1u);
    [[unroll]] for (uint k = NEAREST - 1u; k > 0u; --k) {
        bool moves = is_before(squared, id, k - 1u);
        if (moves) {
            put(k, chosen_squared[k - 1u], chosen_id[k - 1u], chosen_place[k - 1u]);
        } else if (is_earlier) {
            put(k, squared, id, candidate);
        }
        is_earlier = moves;
    }
    if (is_earlier) {
        put(0u, squared, id, candidate);
    }
}

// The squared distance beyond which none is chosen.
float choice_limit() {
    return chosen_squared[NEAREST - 1u];
}

// Whether it is in the list: on a torus a row may be met twice.
bool is_chosen(uint id) {
    bool is_in = false;
    [[unroll]] for (uint k = 0u; k < NEAREST; ++k) {
        is_in = is_in || chosen_id[k] == id;
    }
    return is_in;
}

// Empties the list; those at most this squared distance away may come into it.
void begin_choice(float squared) {
    [[unroll]] for (uint k = 0u; k < NEAREST; ++k) {
        put(k, squared, NO_PLACE, NO_PLACE);
    }
}

Sums search(vec3 position, uint self_index);

// What the law finds in the nearest few, or in all neighbors.
Sums search_nearest(vec3 position, uint self_index) {
    if (NEAREST == 0u) {
        return search(position, self_index);
    }
    begin_choice(params.squared_radii.search);
    search(position, self_index);
    if ((MANNERS & MANNER_NO_RADIUS) != 0u && chosen_place[NEAREST - 1u] == NO_PLACE) {
        // Too few are within the radius of the search.
        float farthest = largest(params.squared_radii);
        begin_choice(farthest);
        Boid nobody;
        closest(position, self_index, Sought(THE_FEW, farthest), nobody);
    }
    Sums sums = sums_zero();
    [[unroll]] for (uint k = 0u; k < NEAREST; ++k) {
        bool some = chosen_place[k] != NO_PLACE;
        uint j = some ? chosen_place[k] : self_index;
        vec4 other = AT(sorted_position_vx, j);
        vec3 offset = way_to(position, other.xyz);
        feel(j);
        accumulate(sums, unpack_boid(other, AT(sorted_velocity_yz, j)), offset, squared_length(offset), some);
    }
    return sums;
}

#endif
