// heading: constant speed, and a heading that turns towards the sum of the rules and the nearest target.
//
// Over the n neighbors j with d < R, for one radius R:
//   separation = -Σ (p_j - p)/d · (R - d)/R / n        alignment = Σ h_j / n
//   cohesion   = ⟨p_j⟩ - p                             target pull = (nearest target - p) · target_weight
//   force      = direction of the weighted sum, to which vectorial noise is added
//   heading    = direction of lerp(h, force, turn_rate · dt), y clamped to [-0.5, 0.5], and unit length again
// For a boid without neighbors, the first three are zero. Where a direction does not exist (a force of zero, a
// neighbor in the same place) the term contributes nothing and the heading stays.

struct Sums {
    vec3 away;     // Σ -(p_j - p)/d · (R - d)/R
    vec3 heading;  // Σ h_j
    vec3 offset;   // Σ p_j - p: its mean is ⟨p_j⟩ - p, without the rounding errors of large positions
    float count;
    vec2 counting;  // those that count in alignment, and in cohesion: with kinds only
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), 0.0, vec2(0.0));
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    if (may_count && distance_squared < params.squared_radii.separation) {
        // (R - d) / (R d) = 1/d - 1/R; in the same place the offset is zero, and so is the product.
        sums.away -= felt(SEPARATION, offset * (inversesqrt(distance_squared) - 1.0 / params.rules.separation_radius));
        sums.heading += felt(ALIGNMENT, heading_of(other.velocity));
        sums.offset += felt(COHESION, offset);
        sums.count += counted(SEPARATION);
        if (KINDS != 0u) {
            sums.counting += vec2(counted(ALIGNMENT), counted(COHESION));
        }
    }
}

Heading want(Boid self, Sums sums) {
    float per_neighbor = 1.0 / max(sums.count, 1.0);
    float per_heading = per_neighbor;
    float per_offset = per_neighbor;
    if (KINDS != 0u) {
        per_heading = 1.0 / max(sums.counting.x, 1.0);
        per_offset = 1.0 / max(sums.counting.y, 1.0);
    }
    vec3 heading = heading_of(self.velocity);
    vec3 wanted = params.rules.separation_weight * per_neighbor * sums.away
                  + params.rules.alignment_weight * per_heading * sums.heading
                  + params.rules.cohesion_weight * per_offset * sums.offset
                  + params.rules.target_weight * nearest_target(self.position);
    if ((MANNERS & MANNER_VECTORIAL) != 0u) {
        wanted += vectorial_noise();
    }
    vec3 force = direction_of(wanted);
    if (force != vec3(0.0)) {
        // Written out: drivers compute mix() in either of two ways, with other last bits.
        vec3 turned = direction_of(heading + (force - heading) * (params.rules.turn_rate * params.time_step));
        turned = direction_of(vec3(turned.x, clamp(turned.y, -0.5, 0.5), turned.z));
        heading = turned != vec3(0.0) ? turned : heading;
    }
    return Heading(heading);
}
