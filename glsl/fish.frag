// fish (fragment): a fish's texture in the light of the scene. Alpha cuts out its fins, which show both faces.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

#include "samples.glsl"
#include "fragment.glsl"

layout(set = 3, binding = BINDING_FISH_SKIN) uniform sampler2D fish_skin;

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_view;
layout(location = 2) in vec3 in_tint;
layout(location = 3) in vec4 in_haze;
layout(location = 4) in vec2 in_place;
layout(location = 5) flat in vec2 in_light;

void main() {
#ifdef WITNESS
    witness_samples();
#endif
    vec4 texel = texture(fish_skin, in_place);
    vec4 depths = fragment_depths();
    vec2 slope = vec2(dFdx(texel.a), dFdy(texel.a));
    uint mask = fragment_samples(depths) & opaque_samples(texel.a, slope);
    if (mask != 0u) {
        vec3 albedo = own_albedo(in_tint, texel.rgb);
        vec3 normal = normalize(gl_FrontFacing ? in_normal : -in_normal);
        vec3 view = normalize(in_view);
        vec2 light = in_light;
        light.x *= light_under_waves(scene.palette, scene.eye - in_view, scene.boid_length, scene.time);
        put_fragment(mask, depths, shown(scene.palette, albedo, normal, view, in_haze, light, FISH_TRANSLUCENCY));
    }
}
