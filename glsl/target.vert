// target (vertex): a sphere at each target. Its fragments are shaded by boid.frag.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) in vec3 in_position;  // on the unit sphere
layout(location = 1) in vec3 in_normal;

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_view;
layout(location = 2) out vec3 out_albedo;
layout(location = 3) out vec4 out_haze;
layout(location = 4) out vec2 out_more;
layout(location = 5) flat out vec2 out_light;

void main() {
    vec4 target = scene.targets[gl_InstanceIndex];
    vec3 world = target.xyz + target.w * in_position;
    out_normal = in_normal;
    out_view = scene.eye - world;
    out_albedo = scene.palette.target;
    out_haze = haze_before(scene.palette, scene.haze, out_view);
    out_more = vec2(0.0);
    out_light = vec2(1.0);
    gl_Position = scene.view_projection * vec4(world, 1.0);
}
