// A world whose opposite walls are one place. src/flock/torus.rs says how rounding is kept small. Include it after the
// parameters.
#ifndef TORUS_GLSL
#define TORUS_GLSL

// What happens at the walls. A constant, so that the compiler removes unused code.
layout(constant_id = 1) const uint WALLS = WALLS_NONE;

vec3 low_walls() { return params.world.center - params.world.half_size; }
vec3 high_walls() { return params.world.center + params.world.half_size; }

// The shortest way from a place to another, both in the world. `precise`, as the CPU twin calculates it.
vec3 shortest_way(vec3 from, vec3 to) {
    precise vec3 low = low_walls();
    precise vec3 high = high_walls();
    precise vec3 half_period = (high - low) * 0.5;
    precise vec3 offset = to - from;
    precise vec3 up = (to - low) + (high - from);
    precise vec3 down = (high - to) + (from - low);
    precise vec3 way = mix(mix(offset, up, lessThan(offset, -half_period)), -down, greaterThan(offset, half_period));
    return way;
}

// The way from a place to another: the shortest, where walls wrap.
vec3 way_to(vec3 from, vec3 to) {
    vec3 way = to - from;
    if (WALLS == WALLS_WRAP) {
        way = shortest_way(from, to);
    }
    return way;
}

// The cell `step` cells from `cell` along an axis; beyond all cells if there is none, or if it is met by another step:
// of two cells, each is above and below the other.
uint cell_beside(uint cell, int step, uint dims) {
    // Below cell 0 the sum wraps around to a huge number, so one comparison checks both borders.
    uint beside = cell + uint(step);
    if (WALLS == WALLS_WRAP) {
        uint around = beside == dims ? 0u : beside > dims ? dims - 1u : beside;
        bool again = step < 0 ? dims < 3u : step > 0 && dims < 2u;
        return again ? dims : around;
    }
    return beside;
}

// The columns of a row of `dims` whose ends are one place, between `begin` and `end` columns from its lower end: first,
// and one after the last, of those between the walls, and of those beyond one of them. Each at most once.
uvec4 columns_around(float begin, float end, uint dims) {
    float columns = float(dims);
    if (!(end - begin < columns - 1.0)) {
        return uvec4(0u, dims, 0u, 0u);
    }
    float first = floor(clamp(begin, -columns, columns - 1.0));
    float last = floor(clamp(end, first, first + columns - 1.0));
    int before = int(first);
    int behind = int(last) + 1;
    int count = int(dims);
    if (before < 0) {
        return uvec4(0, max(behind, 0), before + count, min(behind + count, count));
    }
    return uvec4(before, min(behind, count), 0, max(behind - count, 0));
}

#endif
