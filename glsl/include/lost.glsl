// Lost boids: those whose state would not be finite.
#ifndef LOST_GLSL
#define LOST_GLSL

// FAR of src/flock/spawn.rs, in world units: its square is finite, so that a search may add zero times anything of a lost boid.
const float FAR = 1e18;

// As BoidState::lost counts them.
bool is_lost(vec3 position) {
    return position.x >= FAR;
}

#endif
