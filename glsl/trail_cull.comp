// trail_cull: lists the boids whose trails may be visible.
//
// Reads position_vx and velocity_yz. Writes trail_list and adds to trail_commands, which the trail_reset pass has set
// to no instances.
// Invariant: trail_list[0 .. instance_count] lists every boid whose trail may reach into the picture, once, in no
// particular order. No point of a trail is farther from its boid than the boid can fly in the trail's seconds.
// Cost: 24 bytes read and at most 4 written for each boid, and at most one atomic for each subgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "append.glsl"
#include "dispatch.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_VELOCITY_YZ, scalar) readonly buffer VelocityYz { vec2 velocity_yz[]; };
layout(set = 0, binding = BINDING_TRAIL_LIST, scalar) writeonly buffer TrailList { uint trail_list[]; };
layout(set = 0, binding = BINDING_TRAIL_COMMANDS, scalar) buffer TrailCommands { DrawCommand trail_commands[]; };

bool may_be_seen(vec3 position) {
    float reach = scene.full_speed * scene.trail_seconds + scene.trail_width.x;
    for (uint plane = 0u; plane < 5u; ++plane) {
        if (dot(scene.planes[plane].xyz, position) + scene.planes[plane].w < -reach) {
            return false;
        }
    }
    return true;
}

void main() {
#ifdef WITNESS
    // Never executed. Synchronization validation treats an atomic as a read; this store shows it the write to
    // trail_commands.
    if (scene.boid_count == 0u) {
        trail_commands[0].instance_count = 0u;
    }
#endif
    uint boid = invocation_index();
    // No early return: APPEND counts the whole subgroup.
    bool seen = false;
    if (boid < scene.boid_count) {
        vec4 state = position_vx[boid];
        vec3 velocity = vec3(state.w, velocity_yz[boid]) * scene.speed_scale;
        seen = may_be_seen(state.xyz + velocity * scene.extrapolate);
    }
    uint place;
    APPEND(trail_commands[0].instance_count, seen, place)
    if (seen) {
        trail_list[place] = boid;
    }
}
