// reynolds: each rule asks for a velocity at full speed, and the force towards it is limited.
//
//   separation: x = ⟨(p - p_j)/d²⟩  (d <= Rs)      alignment: x = ⟨v_j⟩  (d <= Ra)
//   cohesion:   x = ⟨p_j⟩ - p       (d <= Rc)
//   steer(x)    = limit(direction of x · max_speed - v, max_force), and zero where x is zero
//   force       = Σ weight · steer(x)
// A boid in the same place (d = 0) is not a neighbor. Only the direction of each mean matters, so sums are used; a rule
// without neighbors has the sum zero.

struct Sums {
    vec3 away;      // Σ (p - p_j)/d² within the separation radius
    vec3 velocity;  // Σ v_j within the alignment radius
    vec3 offset;    // Σ p_j - p within the cohesion radius
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0));
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    SquaredRadii squared = params.squared_radii;
    // One at the same place has no direction to repel in, and none to be sought in: its offset is zero.
    bool repels = may_count && distance_squared <= squared.separation;
    sums.away -= felt(SEPARATION, offset * (repels ? 1.0 / distance_squared : 0.0));
    if (may_count && distance_squared > SMALLEST_NORMAL && distance_squared <= squared.alignment) {
        sums.velocity += felt(ALIGNMENT, other.velocity);
    }
    if (may_count && distance_squared <= squared.cohesion) {
        sums.offset += felt(COHESION, offset);
    }
}

Force want(Boid self, Sums sums) {
    float full_speed = own_speed(params.rules.max_speed);
    return Force(params.rules.separation_weight * steer_along(sums.away, self.velocity, full_speed)
                 + params.rules.alignment_weight * steer_along(sums.velocity, self.velocity, full_speed)
                 + params.rules.cohesion_weight * steer_along(sums.offset, self.velocity, full_speed));
}
