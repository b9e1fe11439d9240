// three-radius: three means, each over the neighbors within its own radius.
//
//   force = limit(separation_weight · ⟨p - p_j⟩    (d <= Rs)
//               + alignment_weight  · ⟨v_j⟩        (d <= Ra)
//               + cohesion_weight   · (⟨p_j⟩ - p)  (d <= Rc), max_force)
// A boid in the same place is not a neighbor, and a mean without terms is zero.

struct Sums {
    vec3 away;      // Σ p - p_j within the separation radius
    vec3 velocity;  // Σ v_j within the alignment radius
    vec3 offset;    // Σ p_j - p within the cohesion radius
    vec3 counts;    // neighbors within each
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    SquaredRadii squared = params.squared_radii;
    bool is_neighbor = may_count && distance_squared > SMALLEST_NORMAL;
    if (is_neighbor && distance_squared <= squared.separation) {
        sums.away -= felt(SEPARATION, offset);
        sums.counts.x += counted(SEPARATION);
    }
    if (is_neighbor && distance_squared <= squared.alignment) {
        sums.velocity += felt(ALIGNMENT, other.velocity);
        sums.counts.y += counted(ALIGNMENT);
    }
    if (is_neighbor && distance_squared <= squared.cohesion) {
        sums.offset += felt(COHESION, offset);
        sums.counts.z += counted(COHESION);
    }
}

Force want(Boid self, Sums sums) {
    vec3 per_neighbor = 1.0 / max(sums.counts, vec3(1.0));
    return Force(limit(params.rules.separation_weight * per_neighbor.x * sums.away
                       + params.rules.alignment_weight * per_neighbor.y * sums.velocity
                       + params.rules.cohesion_weight * per_neighbor.z * sums.offset, params.rules.max_force));
}
