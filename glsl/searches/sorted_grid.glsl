// The search of a flock sorted by cell: nine rows of x-adjacent cells, each one contiguous range of boids, cut
// to the part that the sphere of the search radius reaches. Exact: every boid with d <= R counts; the number is not
// capped.
#pragma by_address
#include "candidate.glsl"
#include "rows.glsl"
#include "closest_in_rows.glsl"

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    Grid grid = params.grid;
    vec3 t = position - grid.origin;
    uvec3 cell = cell_of(grid, position);
    float radius_squared = params.squared_radii.search * WIDENED;

    for (int dy = -1; dy <= 1; ++dy) {
        float left = left_beside(radius_squared, dy, t.y, cell.y, grid.cell_size.y, grid.dims.y, grid.slack);
        for (int dz = -1; dz <= 1; ++dz) {
            float half_squared = left_beside(left, dz, t.z, cell.z, grid.cell_size.z, grid.dims.z, grid.slack);
            if (half_squared < 0.0) {
                continue;
            }
            uint y = cell_beside(cell.y, dy, grid.dims.y);
            uint z = cell_beside(cell.z, dz, grid.dims.z);
            uvec4 ranges = boids_on_chord(grid, t.x, y, z, half_squared);
            consider_range(sums, position, self_index, ranges.x, ranges.y);
            if (WALLS == WALLS_WRAP) {
                consider_range(sums, position, self_index, ranges.z, ranges.w);
            }
        }
    }
    return sums;
}
