// Kinds of boids: src/flock/kinds.rs says what they are. Include it after the parameters.
#ifndef KINDS_GLSL
#define KINDS_GLSL

// Kinds that steering tells apart, or 0. A constant, so that the compiler removes unused code.
layout(constant_id = 5) const uint KINDS = 0u;

const uint NO_KIND = 0xffffffffu;

// In place of a kind: the nearest few that are noticed, for the list of nearest.glsl.
const uint THE_FEW = 0xfffffffeu;

// The kind of the boid with this identity.
uint kind_of(uint id) {
    uint kind = 0u;
    for (uint k = 0u; k + 1u < KINDS; ++k) {
        kind += id >= params.kinds.ends[k] ? 1u : 0u;
    }
    return kind;
}

// The closest of which boids is sought.
struct Sought {
    uint kind;      // of this kind; NO_KIND for any that is noticed, and THE_FEW
    float squared;  // at most this squared distance away
};

#define ANYBODY Sought(NO_KIND, 3.0e38)

#endif
