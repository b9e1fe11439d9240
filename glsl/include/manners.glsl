// How a boid turns and how slow it may be, under any law. Include it after the parameters and the arrays of the flock.
//
//   noise, angular     the new direction is turned at random, uniformly in a cone of half the angle `noise` around it
//                      (Vicsek, Czirók, Ben-Jacob, Cohen and Shochet 1995; on a plane, uniformly to both sides)
//   noise, vectorial   `noise` times a random unit vector is added to the new direction, or by laws that want a heading
//                      to what they take the direction of (Grégoire and Chaté 2004)
//   turn limit         then the direction differs from that before the step by at most so much
//   least speed        then the speed is at least so much
//
// Random numbers depend on the seed, the boid and the step alone: on nothing that a device or its threads decide.
#ifndef MANNERS_GLSL
#define MANNERS_GLSL

#include "perception.glsl"

// MovementWeights of src/flock/layout.rs, by identity: four numbers a boid, of which only the needed ones are read.
readonly FLOCK_ARRAY(BINDING_MOVEMENT_WEIGHTS, Weights, movement_weights, float, 4);
const uint WEIGHTS = 4u;
const uint TARGET_WEIGHT = 0u;
const uint LEADER_WEIGHT = 1u;
const uint CURRENT_WEIGHT = 2u;
const uint OWN_SPEED = 3u;

// The boid's own speed, where the usual one is `speed`.
float own_speed(float speed) {
    if ((MANNERS & MANNER_OWN_SPEED) != 0u) {
        speed *= AT(movement_weights, WEIGHTS * AT(sorted_boid_id, self_place) + OWN_SPEED);
    }
    return speed;
}

// The velocity slot of a boid with this heading, under a law that stores one.
vec3 own_slot(vec3 heading) {
    if ((MANNERS & MANNER_OWN_SPEED) != 0u) {
        heading *= own_speed(1.0);
    }
    return heading;
}

// The heading in a velocity slot.
vec3 heading_of(vec3 slot) {
    if ((MANNERS & MANNER_OWN_SPEED) != 0u) {
        slot = direction_of(slot);
    }
    return slot;
}

// Four hashes of four numbers: "pcg4d" of Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020).
uvec4 mixed(uvec4 v) {
    v = v * 1664525u + 1013904223u;
    for (uint turn = 0u; turn < 2u; ++turn) {
        v.x += v.y * v.w;
        v.y += v.z * v.x;
        v.z += v.x * v.y;
        v.w += v.y * v.z;
        v ^= v >> 16u;
    }
    return v;
}

// Two numbers in [0, 1), uniform and independent.
vec2 drawn() {
    uvec4 bits = mixed(uvec4(AT(sorted_boid_id, self_place), STEP, params.manners.seed));
    return vec2(bits.xy >> 8u) * (1.0 / 16777216.0);
}

// Sine and cosine of so many turns, from -1/2 to 1/2: of a quarter by polynomials, doubled twice. Vulkan's own are less
// exact.
vec2 sine_cosine(float turns) {
    float x = turns * 1.57079633;
    float xx = x * x;
    float s = x * (1.0 + xx * (-1.0 / 6.0 + xx * (1.0 / 120.0 + xx * (-1.0 / 5040.0 + xx * (1.0 / 362880.0)))));
    float c = 1.0 + xx * (-0.5 + xx * (1.0 / 24.0 + xx * (-1.0 / 720.0 + xx * (1.0 / 40320.0))));
    vec2 twice = vec2(2.0 * s * c, 1.0 - 2.0 * s * s);
    return vec2(2.0 * twice.x * twice.y, 1.0 - 2.0 * twice.x * twice.x);
}

bool is_flat() { return params.world.half_size.y == 0.0; }

// A unit vector across another; on a plane, in the plane. Of the basis of Duff et al., "Building an Orthonormal Basis,
// Revisited" (2017).
vec3 across_unit(vec3 n) {
    if (is_flat()) {
        return vec3(-n.z, 0.0, n.x);
    }
    float side = n.z < 0.0 ? -1.0 : 1.0;
    float a = -1.0 / (side + n.z);
    return vec3(1.0 + side * n.x * n.x * a, side * n.x * n.y * a, -side * n.x);
}

// Vectorial noise, or zero.
vec3 vectorial_noise() {
    if ((MANNERS & MANNER_VECTORIAL) == 0u) {
        return vec3(0.0);
    }
    vec2 u = drawn();
    vec2 around = sine_cosine(u.y - 0.5);
    if (is_flat()) {
        return params.manners.noise * vec3(around.y, 0.0, around.x);
    }
    float level = 2.0 * sqrt(u.x * (1.0 - u.x));
    return params.manners.noise * vec3(level * around.y, 1.0 - 2.0 * u.x, level * around.x);
}

// The direction after a turn at random.
vec3 turned_at_random(vec3 direction) {
    vec2 u = drawn();
    vec3 side = across_unit(direction);
    if (is_flat()) {
        vec2 turn = sine_cosine(params.manners.noise_turns * (u.y - 0.5));
        return direction * turn.y + side * turn.x;
    }
    vec2 around = sine_cosine(u.y - 0.5);
    float fall = u.x * params.manners.noise_cap;
    vec3 aside = side * around.y + cross(direction, side) * around.x;
    return direction * (1.0 - fall) + aside * sqrt(fall * (2.0 - fall));
}

// The direction after the step, given those before it and the one that is wanted: with angular noise, and limited
// turns.
vec3 directed(vec3 before, vec3 wanted) {
    vec3 after = wanted;
    if ((MANNERS & MANNER_ANGULAR) != 0u) {
        after = direction_of(turned_at_random(after));
    }
    if ((MANNERS & MANNER_TURN) != 0u) {
        float along = dot(before, after);
        if (before != vec3(0.0) && along < params.manners.cos_turn) {
            vec3 side = direction_of(after - before * along);
            side = side == vec3(0.0) ? across_unit(before) : side;
            after = direction_of(before * params.manners.cos_turn + side * params.manners.sin_turn);
        }
    }
    return after;
}

// The velocity after the step, given those before it and the one that is wanted.
vec3 mannered(vec3 before, vec3 wanted) {
    if (MANNERS == 0u) {
        return wanted;
    }
    float speed = length(wanted);
    vec3 old = direction_of(before);
    vec3 direction = direction_of(wanted);
    direction = direction == vec3(0.0) ? old : direction;
    if ((MANNERS & MANNER_VECTORIAL) != 0u) {
        vec3 noisy = direction_of(direction + vectorial_noise());
        direction = noisy == vec3(0.0) ? direction : noisy;
    }
    return directed(old, direction) * max(speed, own_speed(params.manners.least_speed));
}

#endif
