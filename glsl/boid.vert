// boid (vertex): poses one boid's mesh.
//
// The instance index runs over visible_boids, the list written by cull.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 0, binding = BINDING_VISIBLE_BOIDS, scalar) readonly buffer VisibleBoids { VisibleBoid visible_boids[]; };

#include "camera.glsl"
#include "coloring.glsl"
#include "pose.glsl"

layout(location = 0) in vec3 in_position;  // right, up, back; the boid is one unit long
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_more;      // how far this vertex follows the wingbeat, and the albedo's factor; or
                                           // for a fish, its place in the texture

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_view;        // to the eye, not unit
layout(location = 2) out vec3 out_albedo;
layout(location = 3) out vec4 out_haze;        // rgb: haze seen in front, a: share of the boid's light that passes
layout(location = 4) out vec2 out_more;        // place in the texture; x: of a bird, how much it belongs to a wing
layout(location = 5) flat out vec2 out_light;  // share of the sun's and of the sky's light

void main() {
    VisibleBoid boid = visible_boids[gl_InstanceIndex];
    Pose pose = pose_of(boid.position, boid.velocity, hash(boid.id), boid.behavior);
    bool fish = POSE == POSE_FISH;
    vec3 normal = in_normal;
    vec3 world = posed(pose, in_position, fish ? 0.0 : in_more.x, normal);
    vec3 tint = tint_of(pose, boid.position, boid.velocity, boid.value);
    out_normal = normal;
    out_view = scene.eye - world;
    out_albedo = fish ? tint : tint * in_more.y;
    out_haze = haze_before(scene.palette, scene.haze, out_view);
    out_more = fish ? in_more : vec2(POSE == POSE_BIRD ? min(in_more.x, 1.0) : 0.0, 0.0);
    out_light = unpackUnorm2x16(boid.light);
    gl_Position = clip_of(world, tint);
}
