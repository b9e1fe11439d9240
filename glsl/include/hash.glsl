// Random bits.
#ifndef HASH_GLSL
#define HASH_GLSL

// A well-mixed hash of x: one round of PCG (Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020).
uint hash(uint x) {
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return (x >> 22u) ^ x;
}

#endif
