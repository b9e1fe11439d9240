// What happens at the walls of the world. Include it after the parameters.
#ifndef WALLS_GLSL
#define WALLS_GLSL

#include "torus.glsl"

// Where the walls push: along each axis, ±1 towards the inside where the position is outside.
vec3 wall_push(vec3 position) {
    if (WALLS != WALLS_PUSH) {
        return vec3(0.0);
    }
    vec3 from_center = position - params.world.center;
    return vec3(lessThan(from_center, -params.world.half_size))
        - vec3(greaterThan(from_center, params.world.half_size));
}

// Moves a NaN coordinate to the middle. Vulkan lets a driver assume that there are no NaNs, so the test reads bits.
float numbered(float x, int axis) {
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? params.world.center[axis] : x;
}

// Where x + dx lies outside, the velocity turns inwards and the step is taken again from x: nothing is mirrored. A boid
// that is still outside, because it started there or the box is narrower than its step, is put at the wall.
void bounce(inout float x, float dx, inout float v, float low, float high) {
    float next = x + dx;
    if (next > high) {
        next = clamp(x - abs(dx), low, high);
        v = -abs(v);
    } else if (next < low) {
        next = clamp(x + abs(dx), low, high);
        v = abs(v);
    }
    x = next;
}

// Back in on the opposite side, as far from the wall as it went out.
float wrapped(float x, float low, float high) {
    if (x >= low && x <= high) {
        return x;
    }
    float boxes = (x - low) / (high - low);
    return clamp(low + (boxes - floor(boxes)) * (high - low), low, high);
}

// The boid that moves by `way`, for walls other than those that push.
Boid meet_walls(Boid boid, vec3 way) {
    vec3 low = low_walls();
    vec3 high = high_walls();
    if (WALLS == WALLS_BOUNCE) {
        for (int axis = 0; axis < 3; ++axis) {
            bounce(boid.position[axis], way[axis], boid.velocity[axis], low[axis], high[axis]);
            boid.position[axis] = numbered(boid.position[axis], axis);
        }
        return boid;
    }
    boid.position += way;
    if (WALLS == WALLS_WRAP) {
        for (int axis = 0; axis < 3; ++axis) {
            boid.position[axis] = numbered(wrapped(boid.position[axis], low[axis], high[axis]), axis);
        }
    }
    return boid;
}

#endif
