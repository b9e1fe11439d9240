#version 460
// observe: the number of neighbors of each boid, and the distance to the nearest. Compiled once for each search;
// recorded only in steps that request it.
//
// in         sorted_position_vx, cell_starts   the flock before the step, in cell order
// out        observed                          8 B a boid, in the same order, hence in that of the state after the step
// invariant  counts are exact: those of all pairs
// cost       the search of a step, without its law
//
// To the search this is a law: it sums the candidates, and compares their distances with the radius. See steer.comp.
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"
#include "boid.glsl"
#include "vectors.glsl"
#include "order.glsl"

#include "params.glsl"
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
writeonly FLOCK_ARRAY(BINDING_OBSERVED, ObservedBoids, observed, Observed, 8);

#include "kinds.glsl"

const float ALONE = 3.0e38;

struct Sums {
    uint neighbors;
    float nearest_squared;
};

Sums sums_zero() {
    return Sums(0u, ALONE);
}

void accumulate(inout Sums sums, Boid other, vec3 offset, float distance_squared, bool may_count) {
    if (may_count && distance_squared <= largest(params.squared_radii)) {
        sums.neighbors += 1u;
        // The nearest may be in the same place.
        sums.nearest_squared = min(sums.nearest_squared, dot(offset, offset));
    }
}

// As in steer.comp: for the nearest few without a radius.
bool closest(vec3 position, uint self_index, Sought sought, out Boid other);
#define WITH_CLOSEST
#define NEAREST_FEW
#include "search.glsl"

void main() {
    // As in steer.comp: a search may contain barriers, so surplus invocations of the last workgroup work as the last
    // boid.
    uint last = params.boid_count - 1u;
    if (workgroup_index() * WORKGROUP_SIZE > last) {
        return;
    }
    uint i = min(invocation_index(), last);
    begin_search(i);
    Sums sums = search_nearest(AT(sorted_position_vx, i).xyz, i);
    if (invocation_index() > last) {
        return;
    }
    AT(observed, i) = Observed(sums.neighbors, sums.neighbors > 0u ? sqrt(sums.nearest_squared) : 0.0);
}
