// Trails: positions of each boid at a few moments of the last seconds, and a ribbon through them. Include scene.glsl
// first.
#ifndef TRAIL_GLSL
#define TRAIL_GLSL

// A past position of a boid. Samples of one moment are contiguous, by the boid's id: trail_history[slot * boid_count +
// id].
struct TrailSample {
    vec3 position;
    uint since;  // the step of the oldest sample from which an unbroken trail leads here
};

// The parameters of one recording.
struct TrailStep {
    uint boid_count;
    uint slot;      // slot of the new samples
    uint previous;  // slot of the previous samples
    uint step;      // steps since the start
    float reach;    // longest flight between the two, in world units; negative if there is no previous sample
    vec3 period;    // on a torus, its length along each axis; else 0
};

// Where the image of `place` lies that is nearest to `to`: the place itself along an axis whose period is 0.
vec3 nearest_image(vec3 place, vec3 to, vec3 period) {
    vec3 offset = place - to;
    return place - mix(vec3(0.0), sign(offset) * period, greaterThan(abs(offset), 0.5 * period));
}

#endif
