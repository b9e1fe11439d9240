#version 460
// The host's own pass: the mean velocity of the flock, and how many boids are in a box.
//
// Reads the state after the steps. One workgroup processes all boids, so that a barrier in the shader is
// sufficient: good enough for an example, but slow.

layout(local_size_x = 256) in;

layout(binding = 0, std430) readonly buffer PositionVx {
    vec4 position_vx[]; // xyz: position; w: x velocity
};
layout(binding = 1, std430) readonly buffer VelocityYz {
    vec2 velocity_yz[];
};
layout(binding = 2, std430) writeonly buffer Measured {
    vec3 mean_velocity;
    uint in_box;
};
layout(push_constant) uniform Box {
    vec3 lowest;
    uint boids;
    vec3 highest;
};

shared vec3 velocities[gl_WorkGroupSize.x];
shared uint counts[gl_WorkGroupSize.x];

void main() {
    const uint own = gl_LocalInvocationIndex;
    vec3 velocity = vec3(0.0);
    uint count = 0u;
    for (uint boid = own; boid < boids; boid += gl_WorkGroupSize.x) {
        const vec4 state = position_vx[boid];
        velocity += vec3(state.w, velocity_yz[boid]);
        count += uint(all(greaterThanEqual(state.xyz, lowest)) && all(lessThanEqual(state.xyz, highest)));
    }
    velocities[own] = velocity;
    counts[own] = count;
    barrier();
    for (uint half_size = gl_WorkGroupSize.x / 2u; half_size > 0u; half_size /= 2u) {
        if (own < half_size) {
            velocities[own] += velocities[own + half_size];
            counts[own] += counts[own + half_size];
        }
        barrier();
    }
    if (own == 0u) {
        mean_velocity = velocities[0] / float(boids);
        in_box = counts[0];
    }
}
