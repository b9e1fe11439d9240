// Positions in a byte an axis. src/flock/quanta.rs says why no neighbor is lost.
#ifndef QUANTA_GLSL
#define QUANTA_GLSL

#include "layout.glsl"

// The position in whole quanta from the grid's lower corner, modulo 256, a byte an axis. Only differences are used, and
// the least difference modulo 256 is at most the true one.
uint pack_quanta(Grid grid, Quanta scale, vec3 position, float shift) {
    precise vec3 quanta = (position - grid.origin) * scale.per_unit;
    precise vec3 shifted = clamp(quanta, vec3(-scale.most), vec3(scale.most)) + shift;
    uvec3 bytes = (uvec3(ivec3(floor(shifted))) & 255u) << uvec3(0u, 8u, 16u);
    return bytes.x | bytes.y | bytes.z;
}

// A boid as a candidate.
uint quantized(Grid grid, Quanta scale, vec3 position) {
    return pack_quanta(grid, scale, position, 0.0);
}

// The searching boid. Subtracting a candidate from it gives, in each byte, the difference along one axis in quanta,
// or one less, because of borrows between bytes. The shift makes the error symmetric, at most 1.5 quanta.
uint quantized_self(Grid grid, Quanta scale, vec3 position) {
    return pack_quanta(grid, scale, position, 0.5);
}

#endif
