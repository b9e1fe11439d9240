// probe: a law for tests. It writes sums of the other laws to the state, so that a search can be checked
// and neighbors counted on a device: the benchmark's gate and the tests read it back.
//
//   step 0     position = Σ p_j - p        (d <= Rc)      velocity = Σ v_j     (d <= Ra)
//   step 1     position = Σ (p - p_j)/d²   (d <= Rs)      velocity = the counts within R, within Rs and within Ra
//
// R is the largest radius. Counts are exact up to 2^24.

struct Sums {
    vec3 away;
    vec3 velocity;
    vec3 offset;
    vec3 counts;
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    if (!may_count) {
        return;
    }
    SquaredRadii squared = params.squared_radii;
    vec3 radii = vec3(largest(squared), squared.separation, squared.alignment);
    vec3 within = vec3(lessThanEqual(vec3(distance_squared), radii));
    sums.away -= felt(SEPARATION, offset * (within.y / distance_squared));
    sums.velocity += felt(ALIGNMENT, other.velocity * within.z);
    sums.offset += felt(COHESION, offset * (distance_squared <= squared.cohesion ? 1.0 : 0.0));
    sums.counts += within;
}

struct Probed {
    vec3 in_position;
    vec3 in_velocity;
};

Probed want(Boid self, Sums sums) {
    return STEP == 0u ? Probed(sums.offset, sums.velocity) : Probed(sums.away, sums.counts);
}

// Nobody moves.
Boid move(Boid self, Probed probed) {
    return Boid(probed.in_position, probed.in_velocity);
}
