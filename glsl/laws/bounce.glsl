// bounce: straight motion at constant speed; only walls turn a boid: see walls.glsl.
//
// Neighbors are still found and counted, because this law shows the search.

struct Sums {
    uint count;
};

Sums sums_zero() {
    return Sums(0u);
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    sums.count += may_count && distance_squared <= params.squared_radii.separation ? 1u : 0u;
}

Heading want(Boid self, Sums sums) {
    vec3 heading = heading_of(self.velocity);
    if ((MANNERS & MANNER_VECTORIAL) != 0u) {
        vec3 noisy = direction_of(heading + vectorial_noise());
        heading = noisy == vec3(0.0) ? heading : noisy;
    }
    // Not reached: no flock has so many boids. It keeps the compiler from removing the search.
    return Heading(sums.count == 0xffffffffu ? vec3(0.0) : heading);
}
