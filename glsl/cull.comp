#version 460
// cull: finds the boids that are seen, and draws all but the near ones.
//
// in         position_vx, velocity_yz, boid_id, cell_starts   the flock after the last step, and that step's grid
//            observed                                         for colors by neighbors
//            far_vertices, far_triangles                      the coarse mesh
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

// A boid that may be seen.
struct Drawn {
    vec3 position;
    vec3 velocity;
    uint id;
    float value;
    uint fate;
    uint light;  // as in VisibleBoid
    uvec2 tint;  // albedo, as half floats
    uvec2 haze;  // of haze_before, likewise
};

shared Drawn drawn[WORKGROUP_SIZE];
shared uint drawn_count;
// Those of them that are drawn as meshes here; vertices of their meshes in the world; and the triangles that face the eye.
shared uint small[WORKGROUP_SIZE];
shared uint small_count;
shared vec3 posed_vertices[SPLAT_BATCH];
shared uint facing[SPLAT_BATCH];
shared uint facing_count;

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

// Samples that a point of so many pixels covers, with a silhouette in squares of its length: rounded up or down by chance, so
// that a flock covers as many as its silhouettes do.
uint covered_samples(float pixels, float silhouette, uint bits) {
    return min(uint(float(SAMPLES) * pixels * pixels * silhouette + unit_float(bits)), SAMPLES);
}

// What becomes of a boid at `center`; of points, not all cover a sample.
uint classify(vec3 center, uint bits) {
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
    return covered_samples(pixels, scene.silhouette, bits) > 0u ? POINT : HIDDEN;
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
    uint fate = HIDDEN;
    vec3 position;
    vec3 velocity;
    uint id;
    if (boid < scene.boid_count) {
        vec4 state = AT(position_vx, boid);
        position = state.xyz;
        velocity = vec3(state.w, AT(velocity_yz, boid)) * scene.speed_scale;
        id = AT(boid_id, boid);
        fate = classify(position + velocity * scene.extrapolate, hash(id));
    }
    uvec4 seen = subgroupBallot(fate != HIDDEN);
    uint first = 0u;
    if (subgroupElect()) {
        first = atomicAdd(drawn_count, subgroupBallotBitCount(seen));
    }
    uint place = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(seen);
    if (fate != HIDDEN) {
        drawn[place].position = position;
        drawn[place].velocity = velocity;
        drawn[place].id = id;
        drawn[place].fate = fate;
#ifdef OBSERVED
        drawn[place].value = float(observed[boid].neighbors);
#else
        drawn[place].value = 0.0;
#endif
    }
    barrier();

    uint lane = gl_LocalInvocationIndex;
    fate = HIDDEN;
    Pose pose;
    uint samples_covered = 0u;
    uint triangle = 0u;
    if (lane < drawn_count) {
        Drawn of = drawn[lane];
        fate = of.fate;
        pose = pose_of(of.position, of.velocity, hash(of.id));
        if (fate == POINT) {
            float area = silhouette(pose, triangle);
            samples_covered = covered_samples(pixels_long(pose.center), area, pose.bits);
        }
        if (fate != POINT || samples_covered > 0u) {
            vec3 tint = tint_of(pose, of.position, of.velocity, of.value);
            vec4 haze = haze_before(scene.palette, scene.haze, scene.eye - pose.center);
            drawn[lane].light = packUnorm2x16(light_through_flock(pose.center, pose.bits));
            drawn[lane].tint = uvec2(packHalf2x16(tint.rg), packHalf2x16(vec2(tint.b, 0.0)));
            drawn[lane].haze = uvec2(packHalf2x16(haze.rg), packHalf2x16(haze.ba));
        }
    }
    fate = listed(lane, fate);
    if (fate == SMALL) {
        small[atomicAdd(small_count, 1u)] = lane;
    }
    if (fate == POINT && samples_covered > 0u) {
        splat_point(lane, pose, triangle, samples_covered);
    }
    barrier();
    splat_meshes(small_count);
}
