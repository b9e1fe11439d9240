// heading: constant speed, and a heading that turns towards the sum of the rules and the nearest target.
//
// Over the n neighbors j with d < R, for one radius R:
//   separation = -Σ (p_j - p)/d · (R - d)/R / n        alignment = Σ h_j / n
//   cohesion   = ⟨p_j⟩ - p                             target pull = (nearest target - p) · target_weight
//   force      = direction of the weighted sum
//   heading    = direction of lerp(h, force, turn_rate · dt), y clamped to [-0.5, 0.5], and unit length again
// For a boid without neighbors, the first three are zero. Where a direction does not exist (a force of zero, a
// neighbor in the same place) the term contributes nothing and the heading stays.

struct Sums {
    vec3 away;     // Σ -(p_j - p)/d · (R - d)/R
    vec3 heading;  // Σ h_j
    vec3 offset;   // Σ p_j - p: its mean is ⟨p_j⟩ - p, without the rounding errors of large positions
    float count;
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), 0.0);
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    if (may_count && distance_squared < params.squared_radii.search) {
        // (R - d) / (R d) = 1/d - 1/R; in the same place the offset is zero, and so is the product.
        sums.away -= offset * (inversesqrt(distance_squared) - 1.0 / params.rules.search_radius);
        sums.heading += other.velocity;
        sums.offset += offset;
        sums.count += 1.0;
    }
}

Heading want(Boid self, Sums sums) {
    float per_neighbor = 1.0 / max(sums.count, 1.0);
    vec3 force = direction_of(params.rules.separation_weight * per_neighbor * sums.away
                              + params.rules.alignment_weight * per_neighbor * sums.heading
                              + params.rules.cohesion_weight * per_neighbor * sums.offset
                              + params.rules.target_weight * nearest_target(self.position));
    vec3 heading = self.velocity;
    if (force != vec3(0.0)) {
        // Written out: drivers compute mix() in either of two ways, with other last bits.
        vec3 turned = direction_of(heading + (force - heading) * (params.rules.turn_rate * params.time_step));
        turned = direction_of(vec3(turned.x, clamp(turned.y, -0.5, 0.5), turned.z));
        heading = turned != vec3(0.0) ? turned : heading;
    }
    return Heading(heading);
}
