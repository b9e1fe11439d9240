// Lost boids: those whose state would not be finite.
#ifndef LOST_GLSL
#define LOST_GLSL

// FAR of src/flock/spawn.rs, in world units: its square is finite, so that a search may add zero times anything of a lost boid.
const float FAR = 1e18;

// As BoidState::lost counts them.
bool is_lost(vec3 position) {
    return position.x >= FAR;
}

// The bits tell, because Vulkan lets a driver assume that every number is finite.
bool is_finite(vec3 v) {
    return all(lessThan(floatBitsToUint(v) & 0x7fffffffu, uvec3(0x7f800000u)));
}

#endif
