// The 27 cells of a flock that a bitonic sort has put into cell order. Cells were not counted, so an empty cell has no
// start: each cell has its own begin and end, and an empty one a mark instead.
#include "candidate.glsl"
#include "closest_of_all.glsl"

layout(set = 0, binding = BINDING_CELL_RANGES, scalar) readonly buffer CellRanges { uvec2 cell_ranges[]; };

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
                    // The mark's begin is not before its end, so an empty cell has no candidates.
                    uvec2 range = cell_ranges[cell_id(grid, other)];
                    consider_range(sums, position, self_index, range.x, range.y);
                }
            }
        }
    }
    return sums;
}
