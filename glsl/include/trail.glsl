// Trails: where each boid was at a few moments of the last seconds, and a ribbon through it. Include scene.glsl first.
#ifndef TRAIL_GLSL
#define TRAIL_GLSL

// Where a boid was. Samples of one moment lie together, by the boid's id: trail_history[slot * boid_count + id].
struct TrailSample {
    vec3 position;
    uint since;  // the step of the oldest sample from which an unbroken trail leads here
};

// What one recording of the flock needs.
struct TrailStep {
    uint boid_count;
    uint slot;      // where this moment's samples go
    uint previous;  // where those of the moment before are
    uint step;      // steps since the start
    float reach;    // farther, in world units, no boid flies between the two; negative when there is no moment before
};

#endif
