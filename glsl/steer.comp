#version 460
// steer: visits each boid's neighbors and moves the boid by one time step. Compiled once for each combination of law
// and search.
//
// in         sorted_position_vx, sorted_velocity_yz, sorted_boid_id   the flock before the step, in cell order
// in         cell_starts                                              the range of boids in each cell
// in         movement_weights, leader_position                        of a flock with influences: see motion.glsl
// out        position_vx, velocity_yz, boid_id                        the flock after the step, in the same order
// invariant  reads only the state before the step; no boid reads what another writes
// cost       almost all of a step: the search visits about twice the neighbors that count
//
// A law provides       struct Sums, Sums sums_zero(), void accumulate(inout Sums, Boid other, vec3 offset,
//                      float distance_squared, bool may_count) and want(Boid self, Sums sums): what the boid wants, a
//                      Force, a Velocity or a Heading. motion.glsl has a `move` for each, which takes the step.
// A search provides    Sums search(vec3 position, uint self_index), which calls accumulate for every boid within the
//                      search radius, and possibly for some beyond it: a law compares with its radii. The squared
//                      distance is not zero. Where `may_count` is false, as for the boid itself, a law adds nothing. A
//                      search also provides bool closest(vec3 position, uint self_index, Sought sought, out Boid
//                      other); see below.
// GLSL has no function pointers, so law and search are combined by inclusion: the law first, then the search that calls
// it.
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"
#include "boid.glsl"
#include "vectors.glsl"

#include "params.glsl"
writeonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
writeonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
writeonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_SORTED_BOID_ID, SortedBoidId, sorted_boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);

#include "kinds.glsl"

// Which boid of the sorted flock this invocation steers.
uint self_place;

// The closest other boid of those that are sought; of several equally close, the one with the lowest id. False if there
// is none. Provided by the search.
bool closest(vec3 position, uint self_index, Sought sought, out Boid other);
#define WITH_CLOSEST

#include "motion.glsl"
#include "law.glsl"
#include "search.glsl"

void main() {
    // Workgroups beyond the flock return as a whole. In the last one within it, surplus invocations work as the last
    // boid, because a search may contain barriers that the whole workgroup must reach.
    uint last = params.boid_count - 1u;
    if (workgroup_index() * WORKGROUP_SIZE > last) {
        return;
    }
    uint i = min(invocation_index(), last);
    self_place = i;
    // The velocity is read after the search, to save registers, and before it only for a field of view.
    vec4 position_vx_before = AT(sorted_position_vx, i);
    begin_search(i);
#ifdef NEAREST_GLSL
    Sums sums = search_nearest(position_vx_before.xyz, i);
#else
    Sums sums = search(position_vx_before.xyz, i);
#endif
    if (invocation_index() > last) {
        return;
    }
    Boid self = unpack_boid(position_vx_before, AT(sorted_velocity_yz, i));
    Boid moved = contained(move(self, want(self, sums)));
    AT(position_vx, i) = vec4(moved.position, moved.velocity.x);
    AT(velocity_yz, i) = moved.velocity.yz;
    AT(boid_id, i) = AT(sorted_boid_id, i);
}
