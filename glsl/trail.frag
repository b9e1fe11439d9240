// trail (fragment): a boid's color, fading towards the end of its trail; or the edge of a cell. It is blended over the
// composed picture, so it looks up by itself which samples of its pixel are behind it, and softens its own edges.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

#define READ_SAMPLES_ONLY
#include "samples.glsl"

layout(location = 0) in vec3 in_color;
layout(location = 1) in vec4 in_haze;
layout(location = 2) in float in_alpha;
layout(location = 3) noperspective in float in_across;
layout(location = 4) in float in_half;

layout(location = 0) out vec4 out_color;

void main() {
    uint first = first_sample(uvec2(gl_FragCoord.xy) / scene.block);
    float seen = 0.0;
    for (uint k = 0u; k < SAMPLES; ++k) {
        seen += sample_depth(first + k) <= gl_FragCoord.z ? 1.0 / float(SAMPLES) : 0.0;
    }
    float edge = clamp(in_half + 0.5 - abs(in_across), 0.0, 1.0);
    vec3 color = in_color * in_haze.a + in_haze.rgb;
    color = BACKDROP == BACKDROP_PAPER ? color : tone_map(color);
    out_color = vec4(scene.encode_srgb == 1u ? srgb_encode(color) : color, in_alpha * seen * edge);
}
