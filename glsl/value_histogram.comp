#version 460
// value_histogram: counts the boids by the value that their color shows, for a ramp that is fitted to the flock. The
// boids are divided among at most VALUE_GROUPS workgroups; each writes the counts of its own, and the host adds them
// up.
//
// in         position_vx, velocity_yz   the flock after the last step, for colors by speed
//            position_vx, observed      the same for colors by neighbors
// out        value_counts               VALUE_PART words a workgroup: the boids of each bin; then the bits of the least
//                                       value and of the greatest, which are ~0 and 0 where there is none
// invariant  each boid whose state and value are finite is in one bin, whether it is in view or not
// cost       24 B read a boid, and an atomic in shared memory; two barriers
//
// Bins are narrow where values are small. Bin 0 is of values below 1 / scene.values_per_unit; from there on, each
// octave has 64 bins. Bits of positive floating-point numbers are in the order of the numbers.
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "scene.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "non_finite.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
layout(set = 1, binding = BINDING_VALUE_COUNTS, scalar) writeonly buffer ValueCounts { uint value_counts[]; };

#ifdef OBSERVED
#include "observed.glsl"
layout(set = 1, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };

float value_of(uint boid, vec4 state) { return float(observed[boid].neighbors); }
#else
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);

// World units per second.
float value_of(uint boid, vec4 state) { return length(vec3(state.w, AT(velocity_yz, boid)) * scene.speed_scale); }
#endif

shared uint bins[VALUE_BINS];
shared uint least;
shared uint greatest;

const uint INFINITE = 0x7f800000u;

// `value` is not negative, and finite.
uint bin_of(float value) {
    uint bits = floatBitsToUint(value * scene.values_per_unit);
    // Of the bits, the exponent and six more. 1.0 begins bin 1.
    const uint ONE = 0x3f800000u;
    return bits < ONE ? 0u : min(1u + ((bits - ONE) >> 17u), VALUE_BINS - 1u);
}

void main() {
    for (uint k = gl_LocalInvocationIndex; k < VALUE_BINS; k += WORKGROUP_SIZE) {
        bins[k] = 0u;
    }
    if (gl_LocalInvocationIndex == 0u) {
        least = ~0u;
        greatest = 0u;
    }
    // WAW: others count into what was emptied here.
    barrier();

    uint own_least = ~0u;
    uint own_greatest = 0u;
    for (uint i = invocation_index(); i < scene.boid_count; i += gl_NumWorkGroups.x * WORKGROUP_SIZE) {
        vec4 state = AT(position_vx, i);
        float value = value_of(i, state);
        uint bits = floatBitsToUint(value);
        if (is_far(state.xyz) || bits >= INFINITE) {
            continue;
        }
        atomicAdd(bins[bin_of(value)], 1u);
        own_least = min(own_least, bits);
        own_greatest = max(own_greatest, bits);
    }
    atomicMin(least, own_least);
    atomicMax(greatest, own_greatest);
    // RAW: all have counted.
    barrier();

    uint first = workgroup_index() * VALUE_PART;
    for (uint k = gl_LocalInvocationIndex; k < VALUE_BINS; k += WORKGROUP_SIZE) {
        value_counts[first + k] = bins[k];
    }
    if (gl_LocalInvocationIndex == 0u) {
        value_counts[first + VALUE_BINS] = least;
        value_counts[first + VALUE_BINS + 1u] = greatest;
    }
}
