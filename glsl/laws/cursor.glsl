// cursor: a flock that follows the cursor m, but avoids it within cursor_distance.
//
//   near neighbors: d < R; neighbors about to collide: d < Rs; both strictly
//   v* = v + alignment_weight · ⟨v_j⟩near + cohesion_weight · (⟨p_j⟩near - p)
//        - separation_weight · (⟨p_j⟩collision - p)
//          + cursor_attraction · (m - p)          where |m - p| > cursor_distance
//          - cursor_repulsion · direction of m - p   elsewhere
//   velocity = lerp(v, v*, blend) at each step
// A boid without near neighbors takes the closest boid as its one near neighbor. A mean without terms is zero.

struct Sums {
    vec3 velocity;    // Σ v_j, of near neighbors
    vec3 offset;      // Σ p_j - p, of near neighbors
    vec3 collision;   // Σ p_j - p, of neighbors about to collide
    float near;
    float colliding;
    vec2 counting;    // of the near ones, those that count in alignment, and in cohesion: with kinds only
};

Sums sums_zero() {
    return Sums(vec3(0.0), vec3(0.0), vec3(0.0), 0.0, 0.0, vec2(0.0));
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    if (may_count && distance_squared < params.squared_radii.alignment) {
        sums.velocity += felt(ALIGNMENT, other.velocity);
        sums.offset += felt(COHESION, offset);
        sums.near += 1.0;
        if (KINDS != 0u) {
            sums.counting += vec2(counted(ALIGNMENT), counted(COHESION));
        }
    }
    if (may_count && distance_squared < params.squared_radii.separation) {
        sums.collision += felt(SEPARATION, offset);
        sums.colliding += counted(SEPARATION);
    }
}

vec3 drawn_by_cursor(vec3 position) {
    vec3 offset = way_to(position, params.cursor);
    // `precise`, so that the comparison with the distance is the same on all devices.
    precise float squared = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
    bool beyond = squared > params.rules.cursor_distance * params.rules.cursor_distance;
    return beyond ? params.rules.cursor_attraction * offset : -params.rules.cursor_repulsion * direction_of(offset);
}

// The closest boid as the one near neighbor.
void take_closest(inout Sums sums, vec3 position) {
    Boid other;
    if (closest(position, self_place, ANYBODY, other)) {
        sums.velocity = felt(ALIGNMENT, other.velocity);
        sums.offset = felt(COHESION, way_to(position, other.position));
        sums.near = 1.0;
    }
}

Velocity want(Boid self, Sums sums) {
    if (sums.near == 0.0) {
        take_closest(sums, self.position);
    }
    vec2 counting = vec2(sums.near);
    if (KINDS != 0u) {
        counting = sums.counting;
    }
    vec3 wanted = self.velocity + params.rules.alignment_weight * sums.velocity / max(counting.x, 1.0)
                                + params.rules.cohesion_weight * sums.offset / max(counting.y, 1.0)
                                - params.rules.separation_weight * sums.collision / max(sums.colliding, 1.0)
                                + drawn_by_cursor(self.position);
    // Written out: drivers compute mix() in either of two ways, with other last bits.
    return Velocity(self.velocity + (wanted - self.velocity) * params.rules.blend);
}
