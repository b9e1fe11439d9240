// The closest boid of a flock that a counting sort has put in cell order, searched in rings of rows around the boid's
// own:
//
//        2 2 2 2 2
//        2 1 1 1 2      Rows, seen along x. Each is cut to the chord of the sphere whose radius is the best distance so
//        2 1 0 1 2      far, and left out where that sphere does not reach it. The search ends with the first ring
//        2 1 1 1 2      that the sphere does not reach on any side.
//        2 2 2 2 2
//
// In a dense flock this takes a ring or two; for an isolated boid the number of rows grows with the square of the
// distance. Empty if WITH_CLOSEST is not defined: most laws do not use it.
#if defined(WITH_CLOSEST) && !defined(CLOSEST_IN_ROWS_GLSL)
#define CLOSEST_IN_ROWS_GLSL

#include "closest.glsl"
#include "rows.glsl"

// Least distance along one axis of boids `rings` cells below or above `cell`; 0 for ring 0.
float gap_across(int step, float t, uint cell, float cell_size, float slack) {
    if (step == 0) {
        return 0.0;
    }
    float border = float(step > 0 ? int(cell) + step : int(cell) + step + 1) * cell_size;
    return max((step > 0 ? border - t : t - border) - slack, 0.0);
}

// Tests the candidates of row (y, z) that the sphere reaches.
void closest_in_row(inout Closest best, Sought sought, vec3 position, uint self_index, ivec2 row, float gap_squared) {
    Grid grid = params.grid;
    // Widened: a gap may be rounded up, far from the grid.
    float half_squared = best.squared * WIDENED - gap_squared;
    if (half_squared < 0.0) {
        return;
    }
    uvec4 ranges = boids_on_chord(grid, position.x - grid.origin.x, uint(row.x), uint(row.y), half_squared);
    for (uint j = ranges.x; j < ranges.y; ++j) {
        closer(best, sought, position, self_index, j);
    }
    if (WALLS == WALLS_WRAP) {
        for (uint j = ranges.z; j < ranges.w; ++j) {
            closer(best, sought, position, self_index, j);
        }
    }
}

bool closest(vec3 position, uint self_index, Sought sought, out Boid other) {
    Closest best = closest_none(sought);
    Grid grid = params.grid;
    vec3 t = position - grid.origin;
    uvec3 cell = cell_of(grid, position);
    ivec2 own = ivec2(cell.y, cell.z);
    ivec2 dims = ivec2(grid.dims.y, grid.dims.z);
    ivec2 first = ivec2(0);
    ivec2 last = dims - 1;
    if (WALLS == WALLS_WRAP) {
        // The nearest image of a boid is at most half the world away. Boids of a row that is met twice are the same.
        first = own - dims / 2 - 1;
        last = own + dims / 2 + 1;
    }
    int rings = max(max(own.x - first.x, last.x - own.x), max(own.y - first.y, last.y - own.y));
    for (int ring = 0; ring <= rings; ++ring) {
        float nearest = 3.0e38;
        for (int y = max(own.x - ring, first.x); y <= min(own.x + ring, last.x); ++y) {
            float gap_y = gap_across(y - own.x, t.y, cell.y, grid.cell_size.y, grid.slack);
            // The whole first and last y of the ring; of the others only both ends.
            int step = abs(y - own.x) == ring ? 1 : 2 * ring;
            for (int z = own.y - ring; z <= own.y + ring; z += step) {
                if (z < first.y || z > last.y) {
                    continue;
                }
                float gap_z = gap_across(z - own.y, t.z, cell.z, grid.cell_size.z, grid.slack);
                float gap_squared = gap_y * gap_y + gap_z * gap_z;
                nearest = min(nearest, gap_squared);
                ivec2 row = ivec2(y, z);
                if (WALLS == WALLS_WRAP) {
                    row += mix(ivec2(0), dims, lessThan(row, ivec2(0)))
                        - mix(ivec2(0), dims, greaterThanEqual(row, dims));
                }
                closest_in_row(best, sought, position, self_index, row, gap_squared);
            }
        }
        // Boids of the next ring are farther than those of this one.
        if (nearest > best.squared * WIDENED) {
            break;
        }
    }
    return closest_is(best, other);
}

#endif
