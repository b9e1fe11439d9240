// A boid in registers, and how it is packed in memory.
#ifndef BOID_GLSL
#define BOID_GLSL

struct Boid {
    vec3 position;  // world units
    vec3 velocity;  // world units per second, or a unit heading for laws with a constant speed
};

// 24 bytes a boid in two arrays: a load of vec4 and one of vec2, without padding. The search tests
// distances with the first alone.
Boid unpack_boid(vec4 position_vx, vec2 velocity_yz) {
    return Boid(position_vx.xyz, vec3(position_vx.w, velocity_yz));
}

#endif
