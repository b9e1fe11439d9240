// obstacle (fragment): stone, in the light that other obstacles leave.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma narrow
#include "scene.glsl"
#include "shading.glsl"
#include "vectors.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

#include "camera.glsl"
#include "samples.glsl"
#include "fragment.glsl"
#include "shelter.glsl"

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_world;

float random_at(ivec3 corner) {
    return unit_float(hash(uint(corner.x) + hash(uint(corner.y) + hash(uint(corner.z)))));
}

// Noise from 0 to 1 with features about a unit wide.
float noise(vec3 place) {
    ivec3 corner = ivec3(floor(place));
    vec3 share = fract(place);
    share *= share * (3.0 - 2.0 * share);
    float sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        ivec3 to = ivec3(k & 1, k >> 1 & 1, k >> 2);
        vec3 weight = mix(1.0 - share, share, vec3(to));
        sum += weight.x * weight.y * weight.z * random_at(corner + to);
    }
    return sum;
}

// Noise with features from `unit` world units downwards.
float stone(vec3 place, float unit) {
    return 0.4 * noise(place / unit) + 0.35 * noise(place / unit * 2.7 + 17.0)
        + 0.25 * noise(place / unit * 7.1 + 41.0);
}

void main() {
#ifdef WITNESS
    witness_samples();
#endif
    vec4 depths = fragment_depths();
    uint mask = fragment_samples(depths);
    if (mask == 0u) {
        return;
    }
    vec3 to_eye = scene.eye - in_world;
    vec3 normal = normalize(in_normal);
    // Grain that is finer than a pixel would glitter.
    float unit = max(6.0 * scene.boid_length, 4.0 * length(to_eye) / scene.pixels_per_radian);
    float grain = stone(in_world, unit);
    vec3 albedo = mix(vec3(0.16, 0.15, 0.135), vec3(0.38, 0.35, 0.31), smoothstep(0.2, 0.8, grain));
    vec4 haze = haze_before(scene.palette, scene.haze, to_eye);
    vec3 color;
    if (BACKDROP == BACKDROP_PAPER) {
        // A diagram is unlit: the shape shows by a fixed shading.
        color = vec3(0.50, 0.49, 0.47) * (0.75 + 0.25 * normal.y + 0.15 * normal.x) * haze.a + haze.rgb;
    } else {
        vec2 light = light_past_obstacles(in_world + normal * 0.25 * scene.boid_length, 0.5 * scene.boid_length);
        light.x *= light_under_waves(scene.palette, in_world, scene.boid_length, scene.time);
        color = tone_map(albedo * light_on(scene.palette, normal, light, 0.0) * haze.a + haze.rgb);
    }
    put_fragment(mask, depths, color);
}
