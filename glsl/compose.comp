#version 460
// compose: makes each pixel of its samples, and of the background where samples are empty.
//
// in         samples   nearest depth and its color
// out        pixels    sRGB, one byte for each of red, green, blue and alpha; blue first if the image wants it so
// invariant  a pixel is the mean of its samples' linear colors; an empty sample has the background's color, which is computed
//            once for each pixel
// cost       8 B a sample, and 4 B a pixel
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"

layout(local_size_x = COMPOSE_TILE, local_size_y = COMPOSE_TILE, local_size_z = 1) in;

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 1, binding = BINDING_PIXELS, scalar) writeonly buffer Pixels { uint pixels[]; };

#define READ_SAMPLES_ONLY
#include "samples.glsl"
#include "camera.glsl"
#include "sky.glsl"

void main() {
    // Dispatches are folded into two dimensions, so tiles are counted first.
    uint tiles = (scene.width + COMPOSE_TILE - 1u) / COMPOSE_TILE;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uvec2 pixel = COMPOSE_TILE * uvec2(tile % tiles, tile / tiles) + gl_LocalInvocationID.xy;
    if (pixel.x >= scene.width || pixel.y >= scene.height) {
        return;
    }
    uint first = first_sample(pixel);
    vec3 sum = vec3(0.0);
    uint empty = 0u;
    for (uint k = 0u; k < SAMPLES; ++k) {
        if (sample_depth(first + k) > 0.0) {
            sum += sample_color(first + k);
        } else {
            ++empty;
        }
    }
    float share = float(empty) / float(SAMPLES);
    if (empty > 0u) {
        vec2 ndc = (vec2(pixel) + 0.5) / vec2(scene.width, scene.height) * 2.0 - 1.0;
        sum += float(empty) * sky(normalize(scene.ray_forward + ndc.x * scene.ray_right + ndc.y * scene.ray_down));
    }
    // Noise of half a step hides banding of the background's gradient.
    float grain = share * (unit_float(hash(pixel.x + 8192u * pixel.y)) - 0.5);
    vec3 code = clamp(srgb_encode(sum / float(SAMPLES)) + grain / 255.0, 0.0, 1.0);
    pixels[pixel.y * scene.width + pixel.x] = packUnorm4x8(vec4(scene.blue_first == 1u ? code.bgr : code, 1.0));
}
