// fish (fragment): a fish's texture in the light of the scene. Alpha cuts out its fins, which show both faces.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 1, binding = BINDING_FISH_SKIN) uniform sampler2D fish_skin;

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_view;
layout(location = 2) in vec3 in_tint;
layout(location = 3) in vec4 in_haze;
layout(location = 4) in vec2 in_place;
layout(location = 5) flat in vec2 in_light;
layout(location = 6) flat in uint in_samples;

layout(location = 0) out vec4 out_color;

// Translucency of the fins; applied to the whole fish, because thickness is not known.
const float TRANSLUCENCY = 0.25;

void main() {
    vec4 texel = texture(fish_skin, in_place);
    vec3 albedo = texel.rgb * in_tint;
    if (COLORING != COLORING_NATURAL) {
        // The color shows a value: only the brightness of the texture is used.
        albedo = in_tint * (0.35 + 1.1 * dot(texel.rgb, vec3(0.2126, 0.7152, 0.0722)));
    }
    vec3 color;
    if (BACKDROP == BACKDROP_PAPER) {
        color = albedo * in_haze.a + in_haze.rgb;
    } else {
        vec3 normal = normalize(gl_FrontFacing ? in_normal : -in_normal);
        color = lit(scene.palette, albedo, normal, normalize(in_view), in_light, TRANSLUCENCY);
        color = tone_map(color * in_haze.a + in_haze.rgb);
    }
    out_color = vec4(scene.encode_srgb == 1u ? srgb_encode(color) : color, 1.0);
    // An empty sample mask draws nothing: this clips by alpha without `discard`.
    gl_SampleMask[0] = texel.a < 0.1 ? 0 : int(in_samples);
}
