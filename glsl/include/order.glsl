// Order parameters: a few numbers that measure the order of a flock. Layouts shared with src/flock/layout.rs, and sums
// whose error does not grow with the flock.
//
// Each invocation sums boids at a fixed stride and keeps the rounding error of each addition; subgroups and workgroups
// then add in trees. So the error of each sum is at most about 24 roundings of the sum of its terms' magnitudes, at any
// count.
#ifndef ORDER_GLSL
#define ORDER_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

const uint SUBGROUPS = WORKGROUP_SIZE / MIN_SUBGROUP_SIZE;

#include "non_finite.glsl"
#include "observed.glsl"

// Sums over a part of the flock, without its non-finite boids.
struct OrderSums {
    vec4 offset_speed;     // xyz: Σ p - p_reference; w: Σ |v|
    vec4 heading_nearest;  // xyz: Σ v/|v|; w: Σ distance to the nearest neighbor
    float neighbors;       // Σ count of neighbors
    float least_speed;
    float most_speed;
    uint most_neighbors;
    uint alone;            // boids without a neighbor
    uint non_finite;       // boids that are not in any of the above
};

// Means over the flock, without its non-finite boids.
struct OrderMeans {
    vec3 center;           // of mass, world units
    float polarization;    // |⟨v/|v|⟩|
    float milling;         // |⟨r/|r| × v/|v|⟩|, r from the center
    float neighbors;
    float nearest;         // world units, over the boids that are not alone; 0 if there are none
    float speed;           // in the unit of the velocity slot
    float least_speed;
    float most_speed;
    uint most_neighbors;
    uint alone;
    uint non_finite;
    uint step;             // steps since the start
};

// Workgroups among which a flock is divided.
uint order_groups(uint boid_count) {
    return min((boid_count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE, ORDER_GROUPS);
}

// The boid whose place is the reference for offsets: one from the middle of the flock's order, so that offsets are not
// much longer than the flock's extent, wherever the flock is.
uint reference_boid(uint boid_count) {
    return boid_count / 2u;
}

// The reference, given the place of that boid: the world's center if it is not finite.
vec3 reference_place(vec3 place) {
    return is_far(place) ? vec3(0.0) : place;
}

// sum + x, and its rounding error (Knuth's two-sum). `precise` keeps the compiler from simplifying the error to zero.
void add_exactly(inout vec4 sum, inout vec4 lost, vec4 x) {
    precise vec4 whole = sum + x;
    precise vec4 of_x = whole - sum;
    precise vec4 loss = (sum - (whole - of_x)) + (x - of_x);
    sum = whole;
    lost += loss;
}

#endif
