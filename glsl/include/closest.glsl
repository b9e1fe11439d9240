// The boid closest to another: code shared by the files that define `closest`. Include it after the parameters.
#ifndef CLOSEST_GLSL
#define CLOSEST_GLSL

#include "perception.glsl"
#include "torus.glsl"

// No boid of the flock.
const uint NOBODY = 0xffffffffu;

// The closest boid so far.
struct Closest {
    uint index;     // in the sorted flock
    uint id;
    float squared;  // its distance, squared
};

// As far as is sought.
Closest closest_none(Sought sought) {
    return Closest(NOBODY, NOBODY, sought.squared);
}

// Takes the candidate if it is closer, or equally close with a lower id, so that the result does not depend on the
// sort. `precise`, so that all devices and the CPU twin find the same one.
void closer(inout Closest best, Sought sought, vec3 position, uint self_index, uint candidate) {
    vec4 other = AT(sorted_position_vx, candidate);
    precise vec3 offset = other.xyz - position;
    if (WALLS == WALLS_WRAP) {
        offset = shortest_way(position, other.xyz);
    }
    precise float squared = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
    bool may_count = candidate != self_index;
    if ((MANNERS & MANNER_VIEW) != 0u) {
        may_count = may_count && is_in_view(offset);
    }
    if (KINDS != 0u) {
        uint kind = kind_of(AT(sorted_boid_id, candidate));
        bool is_sought = sought.kind >= THE_FEW ? feelings_for(kind) != vec3(0.0) : kind == sought.kind;
        may_count = may_count && is_sought;
    }
#ifdef NEAREST_GLSL
    if (NEAREST != 0u && sought.kind == THE_FEW) {
        choose(may_count && !(WALLS == WALLS_WRAP && is_chosen(AT(sorted_boid_id, candidate))), offset, candidate);
        best.squared = choice_limit();
        return;
    }
#endif
    if (may_count && squared <= best.squared) {
        uint id = AT(sorted_boid_id, candidate);
        if (squared < best.squared || id < best.id) {
            best = Closest(candidate, id, squared);
        }
    }
}

// Whether there is a closest boid, and which; `feelings` are then for it.
bool closest_is(Closest best, out Boid other) {
    bool found = best.index != NOBODY;
    uint place = found ? best.index : 0u;
    feel(place);
    other = unpack_boid(AT(sorted_position_vx, place), AT(sorted_velocity_yz, place));
    return found;
}

#endif
