#version 460
// cull: finds the boids that are seen, and draws all but the near ones.
//
// in         position_vx, velocity_yz, boid_id, cell_starts   the flock after the last step, and that step's grid
//            observed                                         for colors by neighbors
//            far_mesh                                         the coarse mesh
// out        visible_boids, draw_commands   near boids, to be drawn as meshes: appended after draw_reset has set none
//            samples                        small boids: triangles of the coarse mesh, or points
// invariant  each boid is hidden, or in visible_boids once (in no particular order), or drawn into samples. Which boids find
//            visible_boids full is up to the device; they are drawn into samples, except triangles of over MOST_PIXELS
// cost       28 B a boid; for a boid seen, at most 20 cells looked up, and 8 B and an atomic for each sample that it is the
//            nearest surface of so far
//
// Boids that are seen go into a queue in shared memory first, so that neighboring invocations do the same kind of work: of
// a far flock, only few boids of each workgroup cover a sample.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#pragma by_address
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
layout(set = 0, binding = BINDING_VISIBLE_BOIDS, scalar) writeonly buffer VisibleBoids { VisibleBoid visible_boids[]; };
layout(set = 0, binding = BINDING_DRAW_COMMANDS, scalar) buffer DrawCommands { DrawCommand draw_commands[]; };

#ifdef OBSERVED
#include "observed.glsl"
layout(set = 2, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };
#endif

// A boid that is seen.
struct Drawn {
    vec3 position;
    vec3 velocity;
    uint id;
    float value;
    uint fate;   // and for a point its samples and its triangle
    uint light;
    vec3 tint;
};

#include "samples.glsl"
#include "camera.glsl"
#include "coloring.glsl"
#include "pose.glsl"
#include "shadow.glsl"
#include "splat.glsl"

const uint HIDDEN = 0u;
const uint NEAR = 1u;   // drawn as a mesh, by the rasterizer
const uint SMALL = 2u;  // drawn as the coarse mesh, here
const uint POINT = 3u;  // drawn as a few samples of one pixel, here

// Boids of fewer pixels are points.
const float POINT_PIXELS = 1.5;

shared Drawn drawn[WORKGROUP_SIZE];
shared uint small[WORKGROUP_SIZE];
shared uint drawn_count;
shared uint small_count;

// What becomes of a boid; for a point also, shifted by 2, the count of its samples, and shifted by 5, its triangle.
uint classify(vec3 position, vec3 velocity, uint bits) {
    vec3 center = position + velocity * scene.extrapolate;
    float pixels = pixels_long(center);
    // A wing reaches 0.72 lengths from the middle; stretched boids reach proportionally farther.
    float stretch = max(max(scene.boid_scale.x, scene.boid_scale.y), scene.boid_scale.z);
    float radius = 0.75 * scene.boid_length * stretch;
    float from_near = 0.0;
    for (uint plane = 0u; plane < 5u; ++plane) {
        from_near = dot(scene.planes[plane].xyz, center) + scene.planes[plane].w;
        if (!(from_near >= -radius)) {
            return HIDDEN;
        }
    }
    // What may cross the near plane needs the rasterizer, which clips.
    if (pixels >= scene.lod_pixels || from_near < radius) {
        return NEAR;
    }
    if (pixels * stretch >= POINT_PIXELS) {
        return SMALL;
    }
    uint triangle;
    float covered = float(SAMPLES) * pixels * pixels * silhouette(pose_of(position, velocity, bits), triangle);
    // Rounded up or down by chance, so that on average as many samples are covered as by the silhouette.
    uint count = min(uint(covered + unit_float(bits)), SAMPLES);
    return count == 0u ? HIDDEN : POINT | count << 2u | triangle << 5u;
}

// Appends near boids to visible_boids. What becomes of the boid then: it is small if it found the list full. All invocations
// of the subgroup call it.
uint listed(uint lane, uint fate) {
#ifdef NARROW
    if (scene.round == 1u) {
        // The list is complete. If it is full, round 0 may have drawn any near boid as a small one. Drawing all of them so is
        // right, because their colors are taken only at depths that round 0 found.
        bool full = draw_commands[DRAW_NEAR].instance_count == MAX_VISIBLE_BOIDS;
        return fate == NEAR && full ? SMALL : fate;
    }
#endif
    uvec4 near = subgroupBallot(fate == NEAR);
    uint count = subgroupBallotBitCount(near);
    uint first = 0u;
    if (subgroupElect() && count > 0u) {
        first = atomicAdd(draw_commands[DRAW_NEAR].instance_count, count);
        // What does not fit is not drawn. Adding the two's complement subtracts.
        uint end = max(first + count, MAX_VISIBLE_BOIDS);
        atomicAdd(draw_commands[DRAW_NEAR].instance_count, -min(end - MAX_VISIBLE_BOIDS, count));
    }
    uint at = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(near);
    if (fate == NEAR) {
        if (at >= MAX_VISIBLE_BOIDS) {
            return SMALL;
        }
        Drawn boid = drawn[lane];
        visible_boids[at] = VisibleBoid(boid.position, boid.id, boid.velocity, boid.light, boid.value);
    }
    return fate;
}

void main() {
#ifdef WITNESS
    // As witness_samples.
    witness_samples();
    if (scene.boid_count == 0u) {
        draw_commands[DRAW_NEAR].instance_count = 0u;
    }
#endif
    if (gl_LocalInvocationIndex == 0u) {
        drawn_count = 0u;
        small_count = 0u;
    }
    barrier();

    // No early return: ballots and barriers need all invocations.
    uint boid = invocation_index();
    Drawn found;
    found.fate = HIDDEN;
    if (boid < scene.boid_count) {
        vec4 state = AT(position_vx, boid);
        found.position = state.xyz;
        found.velocity = vec3(state.w, AT(velocity_yz, boid)) * scene.speed_scale;
        found.id = AT(boid_id, boid);
        found.value = 0.0;
        found.fate = classify(found.position, found.velocity, hash(found.id));
    }
    bool seen = found.fate != HIDDEN;
    uvec4 all = subgroupBallot(seen);
    uint first = 0u;
    if (subgroupElect()) {
        first = atomicAdd(drawn_count, subgroupBallotBitCount(all));
    }
    uint place = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(all);
    if (seen) {
#ifdef OBSERVED
        found.value = float(observed[boid].neighbors);
#endif
        drawn[place] = found;
    }
    barrier();

    uint lane = gl_LocalInvocationIndex;
    uint fate = HIDDEN;
    if (lane < drawn_count) {
        vec3 position = drawn[lane].position;
        vec3 velocity = drawn[lane].velocity;
        uint bits = hash(drawn[lane].id);
        fate = drawn[lane].fate & 3u;
        drawn[lane].light = packUnorm2x16(light_through_flock(position + velocity * scene.extrapolate, bits));
        drawn[lane].tint = tint_of(pose_of(position, velocity, bits), position, velocity, drawn[lane].value);
    }
    fate = listed(lane, fate);
    if (fate == SMALL) {
        small[atomicAdd(small_count, 1u)] = lane;
    }
    if (fate == POINT) {
        uint code = drawn[lane].fate;
        splat_point(drawn[lane], far_mesh[code >> 5u], code >> 2u & 7u);
    }
    barrier();

    uint triangles = uint(far_mesh.length());
    for (uint k = lane; k < small_count * triangles; k += WORKGROUP_SIZE) {
        splat_triangle(drawn[small[k / triangles]], far_mesh[k % triangles]);
    }
}
