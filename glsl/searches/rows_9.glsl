// The same 27 cells as nine rows: three cells adjacent in x are adjacent in memory, so their boids are one
// range. A third of the loops of cells-27, and the same candidates.
#include "candidate.glsl"
#include "closest_in_rows.glsl"

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    Grid grid = params.grid;
    uvec3 cell = cell_of(grid, position);
    uint first = max(cell.x, 1u) - 1u;
    uint last = min(cell.x + 1u, grid.dims.x - 1u);
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
            // Below row 0 the sum wraps around to a huge number, so one comparison checks both borders.
            uint y = cell.y + uint(dy);
            uint z = cell.z + uint(dz);
            if (y < grid.dims.y && z < grid.dims.z) {
                uint row = cell_id(grid, uvec3(0u, y, z));
                consider_range(sums, position, self_index, cell_starts[row + first], cell_starts[row + last + 1u]);
            }
        }
    }
    return sums;
}
