// bounce: straight on at constant speed. The walls do the rest: see walls.glsl.
//
// The neighbors are found all the same, and counted: this law is there to look at the search.

struct Sums {
    uint count;
};

Sums sums_zero() {
    return Sums(0u);
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    sums.count += may_count && distance_squared <= params.squared_radii.search ? 1u : 0u;
}

Heading want(Boid self, Sums sums) {
    // No flock has so many boids. But no compiler knows, and with the count it would drop the search.
    return Heading(sums.count == 0xffffffffu ? vec3(0.0) : self.velocity);
}
