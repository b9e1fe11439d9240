// boid (vertex): poses one boid's mesh from the simulation's buffers.
//
// The instance index runs over visible_boids, the list written by cull. Positions are extrapolated by the time
// since the last step, so that motion is smooth at any display rate.
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
layout(set = 1, binding = BINDING_OBSERVED, scalar) readonly buffer ObservedBoids { Observed observed[]; };
#endif

#include "coloring.glsl"

layout(location = 0) in vec3 in_position;  // right, up, back; the boid is one unit long
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_wing_shade;  // x: how far this vertex follows the wingbeat; y: albedo factor

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_view;       // to the eye, not unit
layout(location = 2) out vec3 out_albedo;
layout(location = 3) out vec4 out_haze;       // rgb: haze seen in front, a: share of the boid's light that passes
layout(location = 4) out float out_wing;
layout(location = 5) flat out vec2 out_light;  // share of the sun's and of the sky's light
layout(location = 6) flat out uint out_samples;

const float SHOULDER = 0.06;  // distance of the wing's joint from the middle

// Wing angle in radians: bursts of beats and short glides, with a phase of each boid's own.
float wingbeat(uint bits, float lag) {
    float own = unit_float(bits);
    float beat = sin(scene.time * (17.0 + 5.0 * own) + 6.2832 * own * 7.0 - lag);
    float burst = smoothstep(-0.5, 0.3, sin(scene.time * (1.3 + 0.5 * own) + 40.0 * own));
    return mix(0.10, 0.12 + 0.55 * beat, burst);
}

void main() {
    VisibleBoid visible = visible_boids[gl_InstanceIndex];
    uint boid = visible.boid;
    vec4 state = position_vx[boid];
    vec3 velocity = vec3(state.w, velocity_yz[boid]) * scene.speed_scale;
    vec3 center = state.xyz + velocity * scene.extrapolate;
    uint bits = hash(boid_id[boid]);
    uint more_bits = hash(bits);

    // The wing turns about its shoulder, the tip later and farther than the wrist.
    vec3 position = in_position * scene.boid_scale;
    vec3 normal = in_normal / scene.boid_scale;
    float wing = POSE == POSE_BIRD ? in_wing_shade.x : 0.0;
    if (wing > 0.0) {
        float side = sign(position.x);
        float angle = wing * wingbeat(more_bits, 0.7 * wing);
        float c = cos(angle);
        float s = sin(angle) * side;
        position.x -= SHOULDER * side;
        position.xy = vec2(c * position.x - s * position.y, s * position.x + c * position.y);
        position.x += SHOULDER * side;
        normal.xy = vec2(c * normal.x - s * normal.y, s * normal.x + c * normal.y);
    }

    mat3 basis = flight_basis(velocity);
    if (POSE == POSE_BIRD) {
        // A small individual roll makes boids with equal headings look different.
        float roll = 0.45 * sin(scene.time * (0.7 + unit_float(hash(more_bits))) + 6.2832 * unit_float(bits));
        basis = mat3(cos(roll) * basis[0] + sin(roll) * basis[1], cos(roll) * basis[1] - sin(roll) * basis[0], basis[2]);
    }

    float away = max(distance(center, scene.eye), 1e-6);
    float pixels = scene.boid_length * scene.pixels_per_radian / away;
    float size = scene.boid_length * drawn_pixels(pixels) / pixels;
    if (COLORING == COLORING_CELL && cell_color(state.xyz) != vec3(0.0)) {
        // Highlighted boids are drawn larger here, and in front of the others below.
        size *= 2.0;
    }
    vec3 world = center + basis * position * size;

    vec3 albedo;
    if (COLORING == COLORING_NATURAL) {
        vec3 heading = -basis[2];
        vec3 across = normalize(cross(scene.palette.sun_direction, vec3(0.0, 1.0, 0.0)) + vec3(1e-6, 0.0, 0.0));
        float lean = 0.5 + 0.5 * dot(heading, across);
        float accent = 0.8 * smoothstep(0.2, 1.0, lean) + 0.3 * unit_float(more_bits);
        albedo = mix(scene.palette.boid, scene.palette.boid_accent, min(accent, 1.0));
        albedo *= in_wing_shade.y * (0.7 + 0.5 * unit_float(hash(more_bits + 1u)));
    } else {
#ifdef OBSERVED
        albedo = ramp_of(float(observed[boid].neighbors)) * in_wing_shade.y;
#else
        albedo = color_of(state.xyz, velocity, bits) * in_wing_shade.y;
#endif
    }

    vec3 view = scene.eye - world;
    float passed = transmittance(scene.haze, length(view));
    out_normal = basis * normal;
    out_view = view;
    out_albedo = albedo;
    out_haze = vec4(background(scene.palette, -normalize(view)) * (1.0 - passed), passed);
    out_wing = min(wing, 1.0);
    out_light = unpackUnorm2x16(visible.light);
    out_samples = sample_mask(covered_samples(pixels, bits), bits);
    gl_Position = scene.view_projection * vec4(world, 1.0);
    if (COLORING == COLORING_CELL) {
        bool lit = albedo != vec3(0.0);
        gl_Position.z = 0.5 * (gl_Position.z + (lit ? gl_Position.w : 0.0));
    }
}
