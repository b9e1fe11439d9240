// boid (fragment): sun, sky and haze on a boid or a target.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_view;
layout(location = 2) in vec3 in_albedo;
layout(location = 3) in vec4 in_haze;
layout(location = 4) in float in_wing;
layout(location = 5) flat in vec2 in_light;
layout(location = 6) flat in uint in_samples;

layout(location = 0) out vec4 out_color;

void main() {
    vec3 color;
    if (BACKDROP == BACKDROP_PAPER) {
        // A diagram: its colors are unlit, so that they can be told apart.
        color = in_albedo * in_haze.a + in_haze.rgb;
    } else {
        color = lit(scene.palette, in_albedo, normalize(in_normal), normalize(in_view), in_light, 0.4 * in_wing);
        color = tone_map(color * in_haze.a + in_haze.rgb);
    }
    out_color = vec4(scene.encode_srgb == 1u ? srgb_encode(color) : color, 1.0);
    gl_SampleMask[0] = int(in_samples);
}
