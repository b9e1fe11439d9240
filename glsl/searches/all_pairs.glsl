// The plainest search: every boid is a candidate. The oracle of the others, and what they are measured against; its
// time grows with the square of the count. Needs no grid and no order.

// The squared distance that a boid keeps from itself: no radius reaches it.
const float BEYOND = 3.0e38;

Sums search(vec3 position, uint self_index) {
    Sums sums = sums_zero();
    for (uint j = 0u; j < params.boid_count; ++j) {
        vec4 other = sorted_position_vx[j];
        vec3 offset = other.xyz - position;
        float distance_squared = j == self_index ? BEYOND : dot(offset, offset);
        accumulate(sums, unpack_boid(other, sorted_velocity_yz[j]), offset, distance_squared);
    }
    return sums;
}
