// Whom a boid perceives of those within its search radius: those of kinds that it notices, in its field of view.
// nearest.glsl has the nearest few of these. Include it after the parameters and the arrays of the flock.
//
// In products and sums that are rounded alike everywhere (`precise`), so that all devices and the CPU twin perceive the
// same boids.
#ifndef PERCEPTION_GLSL
#define PERCEPTION_GLSL

// Bits of what holds for the boids of any law. A constant, so that the compiler removes unused code.
layout(constant_id = 3) const uint MANNERS = 0u;

#include "kinds.glsl"

// The velocity of this invocation's boid before the step, if that matters. Without an initial value: see free_at_start
// in obstacles.glsl.
vec3 own_velocity;

// With kinds: that of the boid, and what it feels for the present candidate, in each rule.
uint own_kind;
vec3 feelings;
const uint SEPARATION = 0u;
const uint ALIGNMENT = 1u;
const uint COHESION = 2u;

vec3 feelings_for(uint kind) {
    vec4 felt = params.kinds.felt[own_kind * MAX_KINDS + kind];
    return felt.xyz;
}

// Notes what the boid feels for the one at place `candidate`.
void feel(uint candidate) {
    if (KINDS != 0u) {
        feelings = feelings_for(kind_of(AT(sorted_boid_id, candidate)));
    }
}

// The value as far as it is felt in a rule.
vec3 felt(uint rule, vec3 value) {
    if (KINDS != 0u) {
        value *= feelings[rule];
    }
    return value;
}

// 1 if the candidate counts in a rule, else 0.
float counted(uint rule) {
    if (KINDS != 0u) {
        return feelings[rule] != 0.0 ? 1.0 : 0.0;
    }
    return 1.0;
}

float precise_dot(vec3 a, vec3 b) {
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

// The cosine of the angle between velocity and offset is at least that of the view: compared as signed squares. A boid
// at rest sees in all directions. Whoever is near enough is felt.
bool is_in_view(vec3 offset) {
    float along = precise_dot(own_velocity, offset);
    precise float squared = along * abs(along);
    precise float least = params.manners.view * (precise_dot(own_velocity, own_velocity) * precise_dot(offset, offset));
    return squared >= least || precise_dot(offset, offset) <= params.manners.felt_squared;
}

// Whether the candidate at `offset` counts, if it may count at all.
bool perceives(bool may_count, vec3 offset, uint candidate) {
    if (KINDS != 0u) {
        feel(candidate);
        may_count = may_count && feelings != vec3(0.0);
    }
    if ((MANNERS & MANNER_VIEW) != 0u) {
        may_count = may_count && is_in_view(offset);
    }
    return may_count;
}

// Before the search of the boid at place `place`.
void begin_search(uint place) {
    if (KINDS != 0u) {
        own_kind = kind_of(AT(sorted_boid_id, place));
    }
    if ((MANNERS & MANNER_VIEW) != 0u) {
        own_velocity = vec3(AT(sorted_position_vx, place).w, AT(sorted_velocity_yz, place));
    }
}

#endif
