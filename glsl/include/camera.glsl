// Random bits, the size of a boid on the screen, and its orientation. Include scene.glsl and declare scene first.
#ifndef CAMERA_GLSL
#define CAMERA_GLSL

const float TAU = 6.2831853;

#include "hash.glsl"

// Uniform in [0, 1).
float unit_float(uint bits) { return float(bits >> 8u) * (1.0 / 16777216.0); }

// The kind of a boid, by its identity.
uint kind_of(uint id) {
    uint kind = 0u;
    for (uint k = 0u; k + 1u < KINDS; ++k) {
        kind += id >= scene.kind_ends[k] ? 1u : 0u;
    }
    return kind;
}

// The length of a boid of this kind, in world units.
float length_of(uint kind) { return KINDS == 0u ? scene.boid_length : scene.boid_length * scene.kind_sizes[kind]; }

// Pixels of a boid of this length, seen across, at `position`.
float pixels_long(vec3 position, float boid_length) {
    return boid_length * scene.pixels_per_radian / max(distance(position, scene.eye), 1e-6);
}

// Columns: right, up, back of a boid flying along `heading`, its back to the sky. `heading` may be vertical,
// or zero for a boid at rest.
mat3 flight_basis(vec3 heading) {
    float size = length(heading);
    vec3 forward = size > 1e-12 ? heading / size : vec3(0.0, 0.0, -1.0);
    vec3 right = vec3(-forward.z, 0.0, forward.x);  // cross(forward, world up)
    float flat_size = length(right);
    right = flat_size > 1e-6 ? right / flat_size : vec3(1.0, 0.0, 0.0);
    return mat3(right, cross(right, forward), -forward);
}

#endif
