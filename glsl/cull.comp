#version 460
// cull: finds the boids that are seen, and draws all but the near ones.
//
// in         position_vx, velocity_yz, boid_id, cell_starts   the flock after the last step, and that step's grid
//            observed                                         for colors by neighbors
//            behavior                                         of a flock with states, by identity
//            far_frames, far_triangles                        the coarse mesh, and how it moves
// out        visible_boids, draw_commands   near boids, to be drawn as meshes: appended after draw_reset has set none
//            samples                        small boids: triangles of the coarse mesh, or points
// invariant  each boid is hidden, or in visible_boids once (in no particular order), or drawn into samples. Which boids
//            find visible_boids full is up to the device; they are drawn into samples, except triangles of over
//            MOST_PIXELS
// cost       28 B a boid, and for a point 8 B a sample to see if it is hidden; for a boid seen, at most 20 cells looked
//            up, and 8 B and an atomic for each sample that it is the nearest surface of so far
//
// Boids that may be seen go into a queue in shared memory first. A workgroup looks at several batches of boids, and
// draws from the queue when there is work for all its invocations: of a far flock, only one boid in a hundred may cover
// a sample. Boids are stored in layers, the lowest first; the layers near to the eye should be drawn first, because
// they hide others.
//
// Its short loops are not unrolled: drivers that run on the CPU compile it in two thirds of the time (3.5 and 2.4 s),
// and an H200 draws as fast.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_vote : require
#pragma by_address
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "append.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_CELL_STARTS, CellStarts, cell_starts, uint, 4);
layout(set = 0, binding = BINDING_VISIBLE_BOIDS, scalar) writeonly buffer VisibleBoids { VisibleBoid visible_boids[]; };
layout(set = 0, binding = BINDING_DRAW_COMMANDS, scalar) buffer DrawCommands { DrawCommand draw_commands[]; };

layout(set = 0, binding = BINDING_BEHAVIOR, scalar) readonly buffer Behaviors { uint behavior[]; };

#ifdef OBSERVED
#include "observed.glsl"
layout(set = 2, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };
#endif

// Boids that may be seen, and what becomes of each, in the upper two bits: there are at most 2^30 boids. Those found
// last are drawn first. A workgroup keeps little in shared memory, so that many of them are in flight.
shared uint queue[2u * WORKGROUP_SIZE];
shared uint queued;

// The light on a boid.
struct Lit {
    uint light;  // as in VisibleBoid
    uvec2 tint;  // albedo, as half floats
    uvec2 haze;  // of haze_before, likewise
};
// The place in the queue of the first of the boids that are now drawn, and how many of them are drawn as meshes here:
// those move to the front.
shared uint first_drawn;
shared uint small_count;
// Of the meshes drawn at once: the light on them, their vertices in the world, and the triangles that face the eye, a
// byte each.
shared Lit lit_boids[MESHES_AT_ONCE];
shared vec3 posed_vertices[SPLAT_BATCH];
shared uint facing[SPLAT_BATCH / 4u];
shared uint facing_count;

#include "samples.glsl"
#include "camera.glsl"
#include "coloring.glsl"
#include "pose.glsl"
#include "shadow.glsl"
#include "vectors.glsl"
#include "shelter.glsl"

// World units, after the last step. (Elements are loaded whole: by address, a part of one may be loaded word by word.)
vec3 position_of(uint boid) {
    vec4 state = AT(position_vx, boid);
    return state.xyz;
}

// World units per second.
vec3 velocity_of(uint boid) {
    vec4 state = AT(position_vx, boid);
    return vec3(state.w, AT(velocity_yz, boid)) * scene.speed_scale;
}

// Of the boids that are now drawn, the one at this place.
uint drawn_boid(uint place) { return queue[first_drawn + place] & 0x3fffffffu; }

// The boid's word, if it has a state.
uint behavior_of(uint boid) {
    if (BEHAVES == 0u) {
        return 0u;
    }
    return behavior[AT(boid_id, boid)];
}

Pose pose_of_drawn(uint place) {
    uint boid = drawn_boid(place);
    return pose_of(position_of(boid), velocity_of(boid), AT(boid_id, boid), behavior_of(boid));
}

// What a boid's color shows, if that is its count of neighbors.
float value_of(uint boid) {
#ifdef OBSERVED
    return float(observed[boid].neighbors);
#else
    return 0.0;
#endif
}

#include "splat.glsl"

const uint HIDDEN = 0u;
const uint NEAR = 1u;   // drawn as a mesh, by the rasterizer
const uint SMALL = 2u;  // drawn as the coarse mesh, here
const uint POINT = 3u;  // drawn as a few samples of one pixel, here

// Boids of fewer pixels are points.
const float POINT_PIXELS = 2.1;

// Samples that a point of so many pixels covers, with a silhouette in squares of its length: rounded up or down by
// chance, so that a flock covers as many as its silhouettes do.
uint covered_samples(float pixels, float silhouette, uint bits) {
    return min(uint(float(SAMPLES) * pixels * pixels * silhouette + unit_float(bits)), SAMPLES);
}

// Whether a point at `center` lies behind what is in the samples that it may cover. They only come nearer, so it stays
// hidden, and light and color need not be found.
bool is_behind(vec3 center, uint most, uint bits) {
    if (COLORING == COLORING_CELL) {
        return false;  // boids of the cell are in front of all others
    }
    if (BEHAVES != 0u) {
        return false;  // a boid that sits is not where it would fly to
    }
    vec3 place = on_screen(clip_of(center, vec3(0.0)));
    if (!is_in_picture(place)) {
        return false;
    }
    // The depth that splat_point finds may differ in its last digits.
    float depth = place.z * 1.00001;
    bool behind = true;
    for (uint k = 0u; k < most; ++k) {
        behind = behind && sample_depth(sample_of_point(place, bits, k)) > depth;
    }
    return behind;
}

// What becomes of a boid at `center`; of points, not all cover a sample.
uint classify(vec3 center, uint id) {
    uint bits = hash(id);
    float boid_length = length_of(kind_of(id));
    float pixels = pixels_long(center, boid_length);
    // A wing reaches 0.72 lengths from the middle; stretched boids reach proportionally farther.
    float stretch = max(max(scene.boid_scale.x, scene.boid_scale.y), scene.boid_scale.z);
    float radius = 0.75 * boid_length * stretch;
    float from_near = 0.0;
    [[dont_unroll]] for (uint plane = 0u; plane < 5u; ++plane) {
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
    uint most = covered_samples(pixels, scene.silhouette, bits);
    return most > 0u && !is_behind(center, most, bits) ? POINT : HIDDEN;
}

// Appends near boids to visible_boids. What becomes of the boid of invocation `lane` then: it is small if it found the
// list full. All invocations of the subgroup call it.
uint listed(uint lane, uint fate, uint light) {
#ifdef NARROW
    if (scene.round == 1u) {
        // The list is complete. If it is full, round 0 may have drawn any near boid as a small one. Drawing all of them
        // so is right, because their colors are taken only at depths that round 0 found.
        uint listed =
            atomicLoad(draw_commands[DRAW_NEAR].instance_count, gl_ScopeDevice, gl_StorageSemanticsNone,
                gl_SemanticsRelaxed);
        bool full = listed == MAX_VISIBLE_BOIDS;
        return fate == NEAR && full ? SMALL : fate;
    }
#endif
    if (subgroupAny(fate == NEAR)) {
        uint place;
        APPEND(draw_commands[DRAW_NEAR].instance_count, fate == NEAR, place);
        if (fate == NEAR && place >= MAX_VISIBLE_BOIDS) {
            // It is not drawn as an instance. Adding the two's complement subtracts.
            atomicAdd(draw_commands[DRAW_NEAR].instance_count, -1u);
            return SMALL;
        }
        if (fate == NEAR) {
            uint boid = drawn_boid(lane);
            vec3 position = position_of(boid);
            visible_boids[place] =
                VisibleBoid(position, AT(boid_id, boid), velocity_of(boid), light, value_of(boid), behavior_of(boid));
        }
    }
    return fate;
}

// Draws `count` boids of the queue from first_drawn on, at most one for each invocation. All invocations of the
// workgroup call it.
void draw_queued(uint count) {
    uint lane = gl_LocalInvocationIndex;
    uint fate = HIDDEN;
    Pose pose;
    uint triangle = 0u;
    uint samples_covered = 0u;
    Lit lit;
    if (lane < count) {
        fate = queue[first_drawn + lane] >> 30u;
        pose = pose_of_drawn(lane);
        if (fate == POINT) {
            float area = silhouette(pose, triangle);
            samples_covered = covered_samples(pixels_long(pose.center, pose.size), area, pose.bits);
        }
        if (fate != POINT || samples_covered > 0u) {
            uint boid = drawn_boid(lane);
            vec3 tint = tint_of(pose, position_of(boid), velocity_of(boid), value_of(boid));
            vec4 haze = haze_before(scene.palette, scene.haze, scene.eye - pose.center);
            lit.light = packUnorm2x16(
                light_through_flock(pose.center, pose.bits) * light_past_obstacles(pose.center, 0.5 * scene.boid_length)
            );
            lit.tint = uvec2(packHalf2x16(tint.rg), packHalf2x16(vec2(tint.b, 0.0)));
            lit.haze = uvec2(packHalf2x16(haze.rg), packHalf2x16(haze.ba));
        }
    }
    fate = listed(lane, fate, lit.light);
    uint place;
    APPEND(small_count, fate == SMALL, place);
    uint entry = lane < count ? queue[first_drawn + lane] : 0u;
    if (fate == POINT && samples_covered > 0u) {
        splat_point(lane, pose, lit, triangle, samples_covered);
    }
    // All have read their entries before those of small boids move to the front.
    barrier();
    if (fate == SMALL) {
        queue[first_drawn + place] = entry;
    }
    splat_meshes(small_count, fate == SMALL ? place : 0xffffffffu, lit);
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
        queued = 0u;
        small_count = 0u;
    }
    barrier();

    for (uint batch = 0u; batch < scene.batches; ++batch) {
        // No early return: ballots and barriers need all invocations.
        uint boid = (workgroup_index() * scene.batches + batch) * WORKGROUP_SIZE + gl_LocalInvocationIndex;
        uint fate = HIDDEN;
        if (boid < scene.boid_count) {
            boid = scene.last_first == 1u ? scene.boid_count - 1u - boid : boid;
            vec3 center = position_of(boid) + velocity_of(boid) * scene.extrapolate;
            fate = classify(center, AT(boid_id, boid));
        }
        uint place;
        APPEND(queued, fate != HIDDEN, place);
        if (fate != HIDDEN) {
            queue[place] = boid | fate << 30u;
        }
        barrier();

        bool last = batch + 1u == scene.batches;
        uint end = queued;
        while (end >= WORKGROUP_SIZE || (last && end > 0u)) {
            uint count = min(end, WORKGROUP_SIZE);
            end -= count;
            // All have read the count, or are done with what they drew, before it changes.
            barrier();
            if (gl_LocalInvocationIndex == 0u) {
                first_drawn = end;
                queued = end;
                small_count = 0u;
            }
            barrier();
            draw_queued(count);
        }
        barrier();
    }
}
