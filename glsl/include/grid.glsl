// Which cell a position lies in. src/flock/grid.rs says how the grid is sized and why no neighbor is lost.
#ifndef GRID_GLSL
#define GRID_GLSL

#include "layout.glsl"

// The cell along one axis of a point `t` above the grid's lower corner, clamped into the grid: cells at the border
// reach to infinity. Monotone in t; NaN gives cell 0.
//
// The test reads bits because Vulkan lets a driver assume that no number is NaN, and invert comparisons. As
// unsigned integers, the bits of +0 to +infinity keep their order, and negative numbers and NaN are above them.
uint cell_along(float t, float inv_cell_size, uint dims) {
    const uint INFINITY_BITS = 0x7f800000u;
    precise float cells = t * inv_cell_size;
    return floatBitsToUint(cells) <= INFINITY_BITS ? uint(min(cells, float(dims - 1u))) : 0u;
}

// The cell of `position`. `precise` stops the compiler from reordering or fusing the operations, so that all
// devices and the CPU twin find the same cell.
uvec3 cell_of(Grid grid, vec3 position) {
    precise vec3 t = position - grid.origin;
    return uvec3(cell_along(t.x, grid.inv_cell_size.x, grid.dims.x),
                 cell_along(t.y, grid.inv_cell_size.y, grid.dims.y),
                 cell_along(t.z, grid.inv_cell_size.z, grid.dims.z));
}

uint cell_id(Grid grid, uvec3 cell) {
    return cell.x + grid.dims.x * (cell.z + grid.dims.z * cell.y);
}

#endif
