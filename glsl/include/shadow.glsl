// Light that reaches a boid through the flock around it, from the neighbor grid's counts. Include scene.glsl and
// array.glsl, and declare cell_starts and scene first.
#ifndef SHADOW_GLSL
#define SHADOW_GLSL

// For `cull`, which says why its loops are not unrolled.
#extension GL_EXT_control_flow_attributes : require

// Boids per cubic world unit about `position`: those of a few x-adjacent cells, which lie in one range. The
// outermost cells also hold boids outside the grid, so their counts give no density; there and beyond, the
// density is taken to decrease from that of the next cells.
float flock_density(vec3 position) {
    if (any(lessThan(scene.grid.dims, uvec3(3u)))) {
        return 0.0;
    }
    vec3 place = (position - scene.grid.origin) * scene.grid.inv_cell_size;
    vec3 inside = clamp(place, vec3(1.0), vec3(scene.grid.dims) - 1.0);
    vec3 size = scene.grid.cell_size;
    float thinning = exp(-distance(place * size, inside * size) / size.y);
    uvec3 cell = min(uvec3(inside), scene.grid.dims - 2u);
    uint row = scene.grid.dims.x * (cell.z + scene.grid.dims.z * cell.y);
    uint first = max(cell.x - 1u, 1u);
    uint last = min(cell.x + 2u, scene.grid.dims.x - 2u);
    float volume = float(last + 1u - first) * size.x * size.y * size.z;
    return thinning * float(AT(cell_starts, row + last + 1u) - AT(cell_starts, row + first)) / volume;
}

// Boids times world units per cubic world unit on the way from `position` along `direction`. Each boid samples
// different points (`jitter`, in [0, 1)), so that the borders of cells are not visible.
float flock_depth(vec3 position, vec3 direction, float jitter) {
    float stride = 0.8 * scene.grid.cell_size.y;
    float away = stride * (0.3 + 0.9 * jitter);
    float depth = 0.0;
    [[dont_unroll]] for (uint look = 0u; look < 5u; ++look) {
        depth += flock_density(position + direction * away) * stride;
        away += stride;
        stride *= 1.35;
    }
    return depth;
}

// Share of the sun's (x) and of the sky's light (y) that arrives at `position`.
vec2 light_through_flock(vec3 position, uint boid_hash) {
    if (scene.shadow == 0.0) {
        return vec2(1.0);
    }
    float jitter = unit_float(hash(boid_hash + 7u));
    vec2 depth = vec2(
        flock_depth(position, scene.palette.sun_direction, jitter),
        flock_depth(position, vec3(0.0, 1.0, 0.0), jitter)
    );
    // A boid blocks about a seventh of the square of its length, in any direction.
    vec2 extinction = depth * scene.shadow * 0.15 * scene.boid_length * scene.boid_length;
    // Light scattered between boids reaches deeper than direct light.
    return max(exp(-extinction), 0.4 * exp(-0.15 * extinction));
}

#endif
