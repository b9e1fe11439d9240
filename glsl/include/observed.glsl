// What `observe` writes about a boid. src/flock/order.rs has the same structure.
#ifndef OBSERVED_GLSL
#define OBSERVED_GLSL

// What a boid's neighborhood is like.
struct Observed {
    uint neighbors;  // within the search radius
    float nearest;   // world units to the nearest of them, 0 where there are none
};

#endif
