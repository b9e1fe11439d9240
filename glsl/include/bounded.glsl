// Ranges of candidates that garbage cannot make endless. Include it after the parameters.
#ifndef BOUNDED_GLSL
#define BOUNDED_GLSL

// Where frames are broken on purpose the grid may hold anything, and a range is cut after so many candidates; 0, which
// compiles to nothing, trusts the grid.
layout(constant_id = 0) const uint MOST_IN_RANGE = 0u;

uvec2 bounded(uvec2 range) {
    if (MOST_IN_RANGE != 0u) {
        range = min(range, uvec2(params.boid_count));
        range.y = min(range.y, range.x + MOST_IN_RANGE);
    }
    return range;
}

#endif
