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
            uint y = cell_beside(cell.y, dy, grid.dims.y);
            uint z = cell_beside(cell.z, dz, grid.dims.z);
            if (y < grid.dims.y && z < grid.dims.z) {
                uint row = cell_id(grid, uvec3(0u, y, z));
                consider_range(sums, position, self_index, cell_starts[row + first], cell_starts[row + last + 1u]);
                if (WALLS == WALLS_WRAP) {
                    // The cell beyond a wall. In a row of one or two cells all are within.
                    uint beyond = row + (cell.x == 0u ? grid.dims.x - 1u : 0u);
                    bool some = grid.dims.x > 2u && (cell.x == 0u || cell.x == grid.dims.x - 1u);
                    consider_range(sums, position, self_index, cell_starts[beyond],
                        cell_starts[some ? beyond + 1u : beyond]);
                }
            }
        }
    }
    return sums;
}
