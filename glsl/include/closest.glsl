// The boid closest to another: code shared by the files that define `closest`. Include it after the parameters.
#ifndef CLOSEST_GLSL
#define CLOSEST_GLSL

// No boid of the flock.
const uint NOBODY = 0xffffffffu;

// The closest boid so far.
struct Closest {
    uint index;     // in the sorted flock
    uint id;
    float squared;  // its distance, squared
};

// Larger than any distance.
Closest closest_none() {
    return Closest(NOBODY, NOBODY, 3.0e38);
}

// Takes the candidate if it is closer, or equally close with a lower id, so that the result does not depend on the sort.
// `precise`, so that all devices and the CPU twin find the same one.
void closer(inout Closest best, vec3 position, uint self_index, uint candidate) {
    vec4 other = AT(sorted_position_vx, candidate);
    precise vec3 offset = other.xyz - position;
    precise float squared = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
    if (candidate != self_index && squared <= best.squared) {
        uint id = AT(sorted_boid_id, candidate);
        if (squared < best.squared || id < best.id) {
            best = Closest(candidate, id, squared);
        }
    }
}

// Whether there is a closest boid, and which.
bool closest_is(Closest best, out Boid other) {
    bool found = best.index != NOBODY;
    uint place = found ? best.index : 0u;
    other = unpack_boid(AT(sorted_position_vx, place), AT(sorted_velocity_yz, place));
    return found;
}

#endif
