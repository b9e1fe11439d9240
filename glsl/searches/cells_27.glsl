// The common search: the boid's own cell and the 26 around it, each a separate range. Cells are as wide
// as the search radius along every axis; their volume is 6.4 times the sphere's, so five of six candidates are too far.
#include "candidate.glsl"
#include "closest_in_rows.glsl"

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    Grid grid = params.grid;
    uvec3 cell = cell_of(grid, position);
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
                uvec3 other = uvec3(cell_beside(cell.x, dx, grid.dims.x), cell_beside(cell.y, dy, grid.dims.y),
                                    cell_beside(cell.z, dz, grid.dims.z));
                if (all(lessThan(other, grid.dims))) {
                    uint id = cell_id(grid, other);
                    consider_range(sums, position, self_index, cell_starts[id], cell_starts[id + 1u]);
                }
            }
        }
    }
    return sums;
}
