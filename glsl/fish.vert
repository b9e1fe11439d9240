// fish (vertex): poses one fish from the simulation's buffers, as boid.vert poses a bird.
//
// It points along its velocity v without roll: pitch = -asin(v.y / |v|), yaw = atan2(v.x, v.z) (flight_basis). A sideways wave
// of growing amplitude runs along its body from head to tail, larger for faster fish. The wave's frequency is
// constant for each fish: multiplied by the total time, a small change of it would make the wave jump.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "camera.glsl"
#include "shading.glsl"
#include "grid.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_VELOCITY_YZ, scalar) readonly buffer VelocityYz { vec2 velocity_yz[]; };
layout(set = 0, binding = BINDING_BOID_ID, scalar) readonly buffer BoidId { uint boid_id[]; };
layout(set = 0, binding = BINDING_VISIBLE_BOIDS, scalar) readonly buffer VisibleBoids { VisibleBoid visible_boids[]; };

#ifdef OBSERVED
#include "observed.glsl"
layout(set = 2, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };
#endif

#include "coloring.glsl"

layout(location = 0) in vec3 in_position;  // right, up, back; the fish is one unit long
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_place;     // in the texture

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_view;       // to the eye, not unit
layout(location = 2) out vec3 out_tint;
layout(location = 3) out vec4 out_haze;       // rgb: haze seen in front, a: share of the fish's light that passes
layout(location = 4) out vec2 out_place;
layout(location = 5) flat out vec2 out_light;  // share of the sun's and of the sky's light
layout(location = 6) flat out uint out_samples;

// Sideways offset of the body at `along` (0 at the nose, 1 at the tail), and how it changes along it.
vec2 swim(float along, float effort, uint bits) {
    float own = unit_float(bits);
    float phase = scene.time * (9.0 + 5.0 * own) + 6.2832 * unit_float(hash(bits)) - 5.5 * along;
    float swing = (0.025 + 0.075 * effort) * (0.2 * along + along * along);
    float growth = (0.025 + 0.075 * effort) * (0.2 + 2.0 * along);
    return vec2(swing * sin(phase), growth * sin(phase) - 5.5 * swing * cos(phase));
}

void main() {
    VisibleBoid visible = visible_boids[gl_InstanceIndex];
    uint boid = visible.boid;
    vec4 state = position_vx[boid];
    vec3 velocity = vec3(state.w, velocity_yz[boid]) * scene.speed_scale;
    vec3 center = state.xyz + velocity * scene.extrapolate;
    uint bits = hash(boid_id[boid]);

    vec2 bend = swim(in_position.z + 0.5, min(length(velocity) / scene.full_speed, 1.0), hash(bits + 5u));
    vec3 position = in_position * scene.boid_scale;
    position.x += bend.x;
    vec3 normal = in_normal / scene.boid_scale;
    normal.z -= bend.y * normal.x;
    mat3 basis = flight_basis(velocity);

    float away = max(distance(center, scene.eye), 1e-6);
    float pixels = scene.boid_length * scene.pixels_per_radian / away;
    float size = scene.boid_length * drawn_pixels(pixels) / pixels;
    vec3 world = center + basis * position * size;

    vec3 view = scene.eye - world;
    float passed = transmittance(scene.haze, length(view));
    out_normal = basis * normal;
    out_view = view;
#ifdef OBSERVED
    out_tint = ramp_of(float(observed[boid].neighbors));
#else
    out_tint = COLORING == COLORING_NATURAL ? vec3(0.75 + 0.45 * unit_float(hash(bits + 3u)))
                                            : color_of(state.xyz, velocity, bits);
#endif
    out_haze = vec4(background(scene.palette, -normalize(view)) * (1.0 - passed), passed);
    out_place = in_place;
    out_light = unpackUnorm2x16(visible.light);
    out_samples = sample_mask(covered_samples(pixels, bits), bits);
    gl_Position = scene.view_projection * vec4(world, 1.0);
}
