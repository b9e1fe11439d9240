// cull: lists the visible boids, with the mesh and the light of each.
//
// Reads position_vx, velocity_yz, boid_id and the last step's cell_starts. Writes visible_boids and adds to
// draw_commands, which the draw_reset pass has set to no instances. Near boids fill visible_boids from the front;
// far ones fill it from the back, which moves the first instance of their draw down. The two parts do not overlap, because no
// boid is in both.
// Invariant: visible_boids[first_instance .. + instance_count] of each draw lists every boid that the draw
// shows, once, in no particular order.
// Cost: 28 bytes read for each boid, 8 written and at most 20 cells looked up for each one seen, and at most
// three atomics for each subgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "scene.glsl"
#include "camera.glsl"

layout(local_size_x = WORKGROUP_SIZE) in;

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_VELOCITY_YZ, scalar) readonly buffer VelocityYz { vec2 velocity_yz[]; };
layout(set = 0, binding = BINDING_BOID_ID, scalar) readonly buffer BoidId { uint boid_id[]; };
layout(set = 0, binding = BINDING_CELL_STARTS, scalar) readonly buffer CellStarts { uint cell_starts[]; };
layout(set = 0, binding = BINDING_VISIBLE_BOIDS, scalar) writeonly buffer VisibleBoids { VisibleBoid visible_boids[]; };
layout(set = 0, binding = BINDING_DRAW_COMMANDS, scalar) buffer DrawCommands { DrawCommand draw_commands[]; };

#include "shadow.glsl"

const uint HIDDEN = 0u;
const uint NEAR = 1u;
const uint FAR = 2u;

uint classify(vec3 position, uint boid_hash) {
    float away = max(distance(position, scene.eye), 1e-6);
    float pixels = scene.boid_length * scene.pixels_per_radian / away;
    // A wing reaches 0.72 lengths from the middle; enlarged and stretched boids reach proportionally farther.
    float stretch = max(max(scene.boid_scale.x, scene.boid_scale.y), scene.boid_scale.z);
    float radius = 0.75 * scene.boid_length * stretch * drawn_pixels(pixels) / pixels;
    for (uint plane = 0u; plane < 5u; ++plane) {
        if (dot(scene.planes[plane].xyz, position) + scene.planes[plane].w < -radius) {
            return HIDDEN;
        }
    }
    if (pixels >= scene.lod_pixels) {
        return NEAR;
    }
    return covered_samples(pixels, boid_hash) > 0u ? FAR : HIDDEN;
}

void main() {
#ifdef WITNESS
    // Never executed. Synchronization validation treats an atomic as a read; this store shows it the write to draw_commands.
    if (scene.boid_count == 0u) {
        draw_commands[DRAW_NEAR].instance_count = 0u;
    }
#endif
    uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint boid = workgroup * WORKGROUP_SIZE + gl_LocalInvocationID.x;
    // No early return: the ballots below count the whole subgroup.
    uint fate = HIDDEN;
    VisibleBoid visible = VisibleBoid(boid, 0u);
    if (boid < scene.boid_count) {
        vec4 state = position_vx[boid];
        vec3 velocity = vec3(state.w, velocity_yz[boid]) * scene.speed_scale;
        vec3 position = state.xyz + velocity * scene.extrapolate;
        uint boid_hash = hash(boid_id[boid]);
        fate = classify(position, boid_hash);
        if (fate != HIDDEN) {
            visible.light = packUnorm2x16(light_through_flock(position, boid_hash));
        }
    }

    uvec4 near = subgroupBallot(fate == NEAR);
    uvec4 far = subgroupBallot(fate == FAR);
    uint near_count = subgroupBallotBitCount(near);
    uint far_count = subgroupBallotBitCount(far);
    uint near_first = 0u;
    uint far_first = 0u;
    if (subgroupElect()) {
        if (near_count > 0u) {
            near_first = atomicAdd(draw_commands[DRAW_NEAR].instance_count, near_count);
        }
        if (far_count > 0u) {
            atomicAdd(draw_commands[DRAW_FAR].instance_count, far_count);
            // Adding the two's complement subtracts.
            far_first = atomicAdd(draw_commands[DRAW_FAR].first_instance, -far_count) - far_count;
        }
    }
    near_first = subgroupBroadcastFirst(near_first);
    far_first = subgroupBroadcastFirst(far_first);
    if (fate == NEAR) {
        visible_boids[near_first + subgroupBallotExclusiveBitCount(near)] = visible;
    }
    if (fate == FAR) {
        visible_boids[far_first + subgroupBallotExclusiveBitCount(far)] = visible;
    }
}
