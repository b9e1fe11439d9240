// What `observe` writes about a boid. src/flock/order.rs has the same structure.
#ifndef OBSERVED_GLSL
#define OBSERVED_GLSL

// A boid's neighborhood.
struct Observed {
    uint neighbors;  // within the search radius
    float nearest;   // world units to the nearest of them, 0 if there are none
};

#endif
