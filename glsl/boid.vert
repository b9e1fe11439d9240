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

layout(set = 2, binding = BINDING_CLIPS) uniform sampler2D clips;  // see src/render/clips/texture.rs

// What does not move: places and normals are in `clips`.
layout(location = 0) in float in_wing;       // how much this vertex belongs to a wing
layout(location = 1) in vec3 in_albedo;
layout(location = 2) in vec2 in_skin_place;  // of a fish, its place in the texture

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_view;        // to the eye, not unit
layout(location = 2) out vec3 out_albedo;
layout(location = 3) out vec4 out_haze;        // rgb: haze seen in front, a: share of the boid's light that passes
layout(location = 4) out vec2 out_more;        // place in the texture; x: of a bird, how much it belongs to a wing
layout(location = 5) flat out vec2 out_light;  // share of the sun's and of the sky's light

// The place and the normal of this vertex, between the frames and the clips at which the boid is. Filtering blends two
// frames.
void between_frames(Pose pose, out vec3 place, out vec3 normal) {
    vec2 texel = 1.0 / vec2(textureSize(clips, 0));
    uint column = uint(gl_VertexIndex) % CLIP_COLUMNS;
    uint block = uint(gl_VertexIndex) / CLIP_COLUMNS * 2u * scene.clip_rows;
    place = vec3(0.0);
    normal = vec3(0.0);
    for (uint clip = 0u; clip < CLIPS; ++clip) {
        float weight = pose.weights[clip];
        if (weight > 0.0) {
            vec2 at = vec2(float(column), float(block) + clip_row(clip, pose.bits)) + 0.5;
            place += weight * textureLod(clips, at * texel, 0.0).xyz;
            at.y += float(scene.clip_rows);
            normal += weight * textureLod(clips, at * texel, 0.0).xyz;
        }
    }
}

void main() {
    VisibleBoid boid = visible_boids[gl_InstanceIndex];
    Pose pose = pose_of(boid.position, boid.velocity, boid.id, boid.behavior);
    vec3 place, normal;
    between_frames(pose, place, normal);
    vec3 world = posed(pose, place);
    vec3 tint = tint_of(pose, boid.position, boid.velocity, boid.value);
    out_normal = pose.basis * (normal / scene.boid_scale);
    out_view = scene.eye - world;
    out_albedo = COLORS == COLORS_PLAIN ? tint * in_albedo : COLORS == COLORS_OWN ? own_albedo(tint, in_albedo) : tint;
    out_haze = haze_before(scene.palette, scene.haze, out_view);
    out_more = COLORS == COLORS_TEXTURE ? in_skin_place : vec2(min(in_wing, 1.0), 0.0);
    out_light = unpackUnorm2x16(boid.light);
    gl_Position = clip_of(world, tint);
}
