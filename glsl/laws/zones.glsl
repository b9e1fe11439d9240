// zones: constant speed, and a heading that turns at once: away from boids that are too near, before all else; if there
// are none, to the headings of those around, and towards those farther away.
//
//   repulsion     r = Σ -(p_j - p)/d / n_r                            d <= Rs
//   orientation   o = alignment_weight · (Σ h_j + own_weight · h)     d <= Ra
//   attraction    a = cohesion_weight · Σ (p_j - p)/d                 Ra < d <= Rc
//   heading = direction of r, if separation_weight > 0 and n_r > 0, else of (o + a) / max(n_o + n_a + own_weight, 1)
// The direction is that of h where the vector is zero. Vectorial noise is added to the vector. A boid in the same place
// is too near, in no direction.

struct Sums {
    vec3 away;     // Σ -(p_j - p)/d, of those too near
    vec3 heading;  // Σ h_j, of those around
    vec3 toward;   // Σ (p_j - p)/d, of those farther away
    float too_near;
    float others;  // around and farther away
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), 0.0, 0.0);
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    SquaredRadii squared = params.squared_radii;
    // In the same place the offset is zero, and so is the product.
    vec3 direction = offset * inversesqrt(distance_squared);
    bool is_around = distance_squared <= squared.alignment;
    if (may_count && distance_squared <= squared.separation) {
        sums.away -= felt(SEPARATION, direction);
        sums.too_near += counted(SEPARATION);
    }
    if (may_count && is_around) {
        sums.heading += felt(ALIGNMENT, heading_of(other.velocity));
        sums.others += counted(ALIGNMENT);
    }
    if (may_count && !is_around && distance_squared <= squared.cohesion) {
        sums.toward += felt(COHESION, direction);
        sums.others += counted(COHESION);
    }
}

Heading want(Boid self, Sums sums) {
    float own = params.rules.own_weight;
    vec3 before = heading_of(self.velocity);
    vec3 wanted = (params.rules.alignment_weight * (sums.heading + own * before)
                   + params.rules.cohesion_weight * sums.toward) / max(sums.others + own, 1.0);
    if (sums.too_near * params.rules.separation_weight > 0.0) {
        wanted = sums.away / sums.too_near;
    }
    wanted = wanted == vec3(0.0) ? before : wanted;
    if ((MANNERS & MANNER_VECTORIAL) != 0u) {
        wanted += vectorial_noise();
    }
    vec3 heading = direction_of(wanted);
    return Heading(heading == vec3(0.0) ? before : heading);
}
