#version 460
// compose: makes each pixel of its samples, and of the background where samples are empty.
//
// in         samples   nearest depth and its color
//            mirror    before a backdrop with a sea: its mirror image of the flock
// out        pixels    sRGB, one byte for each of red, green, blue and alpha; blue first if the image wants it so
// invariant  the pixel of a block of one is the mean of its samples' linear colors; an empty sample has the
//            background's color, which is computed once for each block. A larger block has the same mean, and each of
//            its pixels leans by a quarter to the sample nearest to it: sharper where boids are large, without much
//            noise where they are small
// cost       8 B a sample, and 4 B a pixel
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"

// A tile in one dimension: the size in x must be a multiple of the subgroup size, and a tile is only 16 wide.
layout(local_size_x = COMPOSE_TILE * COMPOSE_TILE, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 1, binding = BINDING_PIXELS, scalar) writeonly buffer Pixels { uint pixels[]; };
layout(set = 1, binding = BINDING_MIRROR, scalar) readonly buffer Mirror { uint mirror[]; };

#define READ_SAMPLES_ONLY
#include "samples.glsl"
#include "camera.glsl"
#include "sky.glsl"
#include "sea.glsl"

// Stores a pixel, of which a share is background.
void put_pixel(uvec2 pixel, vec3 color, float share) {
    // Noise of half a step hides banding of the background's gradient.
    float grain = share * (unit_float(hash(pixel.x + 8192u * pixel.y)) - 0.5);
    vec3 code = srgb_encode(color) + grain / 255.0;
    pixels[pixel.y * scene.pixels.x + pixel.x] = packUnorm4x8(vec4(scene.blue_first == 1u ? code.bgr : code, 1.0));
}

void main() {
    // Dispatches are folded into two dimensions, so tiles are counted first.
    uint tiles = (scene.width + COMPOSE_TILE - 1u) / COMPOSE_TILE;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uvec2 within = uvec2(gl_LocalInvocationIndex % COMPOSE_TILE, gl_LocalInvocationIndex / COMPOSE_TILE);
    uvec2 block = COMPOSE_TILE * uvec2(tile % tiles, tile / tiles) + within;
    if (block.x >= scene.width || block.y >= scene.height) {
        return;
    }
    uint first = first_sample(block);
    uint empty = 0u;
    for (uint k = 0u; k < SAMPLES; ++k) {
        empty += sample_depth(first + k) > 0.0 ? 0u : 1u;
    }
    // In most pictures most pixels are empty.
    vec3 sum = vec3(0.0);
    if (empty < SAMPLES) {
        for (uint k = 0u; k < SAMPLES; ++k) {
            sum += sample_depth(first + k) > 0.0 ? sample_color(first + k) : vec3(0.0);
        }
    }
    vec3 background = vec3(0.0);
    if (empty > 0u) {
        vec2 ndc = (vec2(block) + 0.5) / vec2(scene.width, scene.height) * 2.0 - 1.0;
        vec3 direction = normalize(scene.ray_forward + ndc.x * scene.ray_right + ndc.y * scene.ray_down);
        bool is_sea = BACKDROP == BACKDROP_SKY && direction.y < 0.0;
        background = tone_map(is_sea
            ? sea(direction, unit_float(hash(block.x + 8192u * (block.y + scene.first_row))))
            : sky(direction));
    }
    vec3 mean = (sum + float(empty) * background) / float(SAMPLES);
    float share = float(empty) / float(SAMPLES);
    if (scene.block == 1u) {
        put_pixel(block, mean, share);
        return;
    }
    uvec2 end = min((block + 1u) * scene.block, scene.pixels);
    for (uint y = block.y * scene.block; y < end.y; ++y) {
        for (uint x = block.x * scene.block; x < end.x; ++x) {
            // The four samples lie in a block's quarters.
            uvec2 quarter = 2u * (uvec2(x, y) - block * scene.block) / scene.block;
            uint nearest = first + quarter.x + 2u * quarter.y;
            vec3 color = sample_depth(nearest) > 0.0 ? sample_color(nearest) : background;
            put_pixel(uvec2(x, y), mix(mean, color, 0.25), share);
        }
    }
}
