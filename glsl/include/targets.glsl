// The targets that attract a flock. Include it after the parameters.
#ifndef TARGETS_GLSL
#define TARGETS_GLSL

#include "torus.glsl"

// The offset to the nearest target; zero if there is none.
vec3 nearest_target(vec3 position) {
    vec3 nearest = vec3(0.0);
    float nearest_squared = 0.0;
    for (uint k = 0u; k < min(params.target_count, MAX_TARGETS); ++k) {
        vec3 offset = way_to(position, params.targets[k].xyz);
        float squared = dot(offset, offset);
        if (k == 0u || squared < nearest_squared) {
            nearest = offset;
            nearest_squared = squared;
        }
    }
    return nearest;
}

#endif
