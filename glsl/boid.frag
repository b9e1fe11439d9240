// boid (fragment): sun, sky and haze on a boid or a target.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

#include "samples.glsl"
#include "fragment.glsl"

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_view;
layout(location = 2) in vec3 in_albedo;
layout(location = 3) in vec4 in_haze;
layout(location = 4) in vec2 in_more;
layout(location = 5) flat in vec2 in_light;

void main() {
#ifdef WITNESS
    witness_samples();
#endif
    vec4 depths = fragment_depths();
    uint mask = fragment_samples(depths);
    if (mask != 0u) {
        vec3 normal = normalize(in_normal);
        if (COLORS == COLORS_OWN) {
            // A model may be open, and then shows both of its faces.
            normal = gl_FrontFacing ? normal : -normal;
        }
        vec3 view = normalize(in_view);
        vec2 light = in_light;
        light.x *= light_under_waves(scene.palette, scene.eye - in_view, scene.boid_length, scene.time);
        put_fragment(mask, depths, shown(scene.palette, in_albedo, normal, view, in_haze, light, 0.4 * in_more.x));
    }
}
