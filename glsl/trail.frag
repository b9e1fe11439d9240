// trail (fragment): a boid's color, fading towards the end of its trail.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) in vec3 in_color;
layout(location = 1) in vec4 in_haze;
layout(location = 2) in float in_alpha;

layout(location = 0) out vec4 out_color;

void main() {
    vec3 color = in_color * in_haze.a + in_haze.rgb;
    color = BACKDROP == BACKDROP_PAPER ? color : tone_map(color);
    out_color = vec4(scene.encode_srgb == 1u ? srgb_encode(color) : color, in_alpha);
}
