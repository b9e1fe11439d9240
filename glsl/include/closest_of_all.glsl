// The closest boid, by testing all boids: for an unsorted flock, and for one without starts of rows.
// Empty if WITH_CLOSEST is not defined: most laws do not use it.
#if defined(WITH_CLOSEST) && !defined(CLOSEST_OF_ALL_GLSL)
#define CLOSEST_OF_ALL_GLSL

#include "closest.glsl"

bool closest(vec3 position, uint self_index, Sought sought, out Boid other) {
    Closest best = closest_none(sought);
    // In two loops, for drivers that end a loop after 65,535 iterations (see all_pairs.glsl).
    const uint CHUNK = 4096u;
    for (uint first = 0u; first < params.boid_count; first += CHUNK) {
        for (uint j = first; j < min(first + CHUNK, params.boid_count); ++j) {
            closer(best, sought, position, self_index, j);
        }
    }
    return closest_is(best, other);
}

#endif
