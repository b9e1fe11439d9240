// Order parameters: how orderly a flock is, in a few numbers. Layouts shared with src/flock/layout.rs, and sums whose error
// does not grow with the flock.
//
// Each invocation adds up every so manyth boid and keeps what rounding loses of each addition; subgroups and workgroups then
// add in trees. So each sum is off by at most about 24 roundings of the sum of its terms' magnitudes, whatever the count.
#ifndef ORDER_GLSL
#define ORDER_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

const uint SUBGROUPS = WORKGROUP_SIZE / MIN_SUBGROUP_SIZE;

#include "observed.glsl"

// Sums over a part of the flock.
struct OrderSums {
    vec4 offset_speed;     // xyz: Σ p - p_reference; w: Σ |v|
    vec4 heading_nearest;  // xyz: Σ v/|v|; w: Σ distance to the nearest neighbor
    float neighbors;       // Σ count of neighbors
    float least_speed;
    float most_speed;
    uint most_neighbors;
    uint alone;            // boids without a neighbor
};

// Means over the flock.
struct OrderMeans {
    vec3 center;           // of mass, world units
    float polarization;    // |⟨v/|v|⟩|
    float milling;         // |⟨r/|r| × v/|v|⟩|, r from the center
    float neighbors;
    float nearest;         // world units, over the boids that are not alone; 0 where there are none
    float speed;           // as the velocity slot has it
    float least_speed;
    float most_speed;
    uint most_neighbors;
    uint alone;
    uint step;             // steps since the start
};

// Workgroups that share a flock.
uint order_groups(uint boid_count) {
    return min((boid_count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE, ORDER_GROUPS);
}

// The boid from whose place offsets are measured: one from the middle of the flock's order, so that they are about as short
// as the flock is long, wherever it is.
uint reference_boid(uint boid_count) {
    return boid_count / 2u;
}

// sum + x, and what its rounding lost (Knuth's two-sum). `precise` keeps the compiler from finding the loss to be zero.
void add_exactly(inout vec4 sum, inout vec4 lost, vec4 x) {
    precise vec4 whole = sum + x;
    precise vec4 of_x = whole - sum;
    precise vec4 loss = (sum - (whole - of_x)) + (x - of_x);
    sum = whole;
    lost += loss;
}

#endif
