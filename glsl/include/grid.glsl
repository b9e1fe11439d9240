// Which cell a position lies in. src/flock/grid.rs says how the grid is sized and why no neighbor is lost.
#ifndef GRID_GLSL
#define GRID_GLSL

#include "layout.glsl"

// The cell along one axis of a point `t` above the grid's lower corner, clamped into the grid: cells at the border
// reach to infinity. Monotone in t; NaN gives cell 0.
//
// The test reads bits because Vulkan lets a driver assume that no number is NaN, and turn comparisons around. As
// integers, the bits of +0 to +infinity keep their order, and negative numbers and NaN lie above them.
uint cell_along(float t, float inv_cell_size, uint dims) {
    const uint INFINITY_BITS = 0x7f800000u;
    precise float cells = t * inv_cell_size;
    return floatBitsToUint(cells) <= INFINITY_BITS ? uint(min(cells, float(dims - 1u))) : 0u;
}

// The cell of `position`. `precise` forbids the compiler to rearrange or fuse the operations, so that every
// device and the CPU twin find the same cell.
uvec3 cell_of(Grid grid, vec3 position) {
    precise vec3 t = position - grid.origin;
    return uvec3(cell_along(t.x, grid.inv_cell_size.x, grid.dims.x),
                 cell_along(t.y, grid.inv_cell_size.y, grid.dims.y),
                 cell_along(t.z, grid.inv_cell_size.z, grid.dims.z));
}

uint cell_id(Grid grid, uvec3 cell) {
    return cell.x + grid.dims.x * (cell.z + grid.dims.z * cell.y);
}

// The position in whole quanta from the grid's lower corner, modulo 256, a byte an axis. Only differences are of use, and the
// least difference modulo 256 is never larger than the true one.
uint pack_quanta(Grid grid, vec3 position, float shift) {
    precise vec3 quanta = (position - grid.origin) * grid.quanta_per_unit;
    precise vec3 shifted = clamp(quanta, vec3(-grid.most_quanta), vec3(grid.most_quanta)) + shift;
    uvec3 bytes = (uvec3(ivec3(floor(shifted))) & 255u) << uvec3(0u, 8u, 16u);
    return bytes.x | bytes.y | bytes.z;
}

// A boid as a candidate.
uint quantized(Grid grid, vec3 position) {
    return pack_quanta(grid, position, 0.0);
}

// A boid that looks for others. Subtracting a candidate from it gives, in each byte, the difference along one axis in quanta,
// or one less: nothing keeps a byte from borrowing of the next. The shift makes the error the same in both directions,
// 1.5 quanta.
uint quantized_self(Grid grid, vec3 position) {
    return pack_quanta(grid, position, 0.5);
}

#endif
