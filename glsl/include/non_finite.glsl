// Non-finite boids: those whose state would not be finite, which are put far away.
#ifndef NON_FINITE_GLSL
#define NON_FINITE_GLSL

// FAR of src/flock/spawn.rs, in world units: its square is finite, so that a search may add zero times anything of such
// a boid.
const float FAR = 1e18;

// As BoidState::non_finite counts them.
bool is_far(vec3 position) {
    return position.x >= FAR;
}

// The bits tell, because Vulkan lets a driver assume that every number is finite.
bool is_finite(vec3 v) {
    return all(lessThan(floatBitsToUint(v) & 0x7fffffffu, uvec3(0x7f800000u)));
}

#endif
