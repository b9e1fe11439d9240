// Ranges of candidates, bounded even if the grid holds garbage. Include it after the parameters.
#ifndef BOUNDED_GLSL
#define BOUNDED_GLSL

// Maximum candidates of a range, for frames that are broken on purpose, in which the grid may hold anything; 0, which
// compiles to nothing, trusts the grid.
layout(constant_id = 0) const uint MOST_IN_RANGE = 0u;

// Whether the range is within the flock and at most that long.
bool is_bounded(uvec2 range) {
    return MOST_IN_RANGE == 0u || (range.y <= params.boid_count && range.y - range.x <= MOST_IN_RANGE);
}

// The range, cut to that length.
uvec2 bounded(uvec2 range) {
    if (MOST_IN_RANGE != 0u) {
        range = min(range, uvec2(params.boid_count));
        range.y = min(range.y, range.x + MOST_IN_RANGE);
    }
    return range;
}

#endif
