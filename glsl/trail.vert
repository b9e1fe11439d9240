// trail (vertex): a ribbon from a boid back to where it was trail_seconds ago, turned towards the eye.
//
// Vertices 2k and 2k + 1 are the two edges of the ribbon at its place k: 0 is the boid, and from there on each place is
// one sample older. Places beyond the end of the trail are at its end, so triangles there have no area. On a torus the
// ribbon leads on through a wall to the images that are nearest to the boid, and ends where it would be half the world
// away.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "shading.glsl"
#include "grid.glsl"
#include "trail.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_VELOCITY_YZ, scalar) readonly buffer VelocityYz { vec2 velocity_yz[]; };
layout(set = 0, binding = BINDING_BOID_ID, scalar) readonly buffer BoidId { uint boid_id[]; };
layout(set = 0, binding = BINDING_TRAIL_LIST, scalar) readonly buffer TrailList { uint trail_list[]; };
layout(set = 0, binding = BINDING_TRAIL_HISTORY, scalar) readonly buffer TrailHistory { TrailSample trail_history[]; };

#include "camera.glsl"
#include "coloring.glsl"

layout(location = 0) out vec3 out_color;
layout(location = 1) out vec4 out_haze;
layout(location = 2) out float out_alpha;
layout(location = 3) noperspective out float out_across;  // pixels from the middle line
layout(location = 4) out float out_half;                  // half the width, in pixels

const float THINNEST_PIXELS = 1.2;  // thinner ribbons fade instead

// A place of the ribbon, and the seconds since the boid was there.
struct Place {
    vec3 position;
    float age;
};

// The slot of the k-th newest sample, from 1 on.
uint slot_of(uint k) { return (scene.trail_newest + scene.trail_slots - (k - 1u)) % scene.trail_slots; }

float age_of(uint k) { return k == 0u ? 0.0 : scene.trail_ages[slot_of(k)]; }

vec3 period() { return scene.cells.wraps != 0u ? vec3(scene.cells.dims) * scene.cells.cell_size : vec3(0.0); }

Place place_of(uint k, uint id, vec3 head) {
    if (k == 0u) {
        return Place(head, 0.0);
    }
    vec3 place = trail_history[slot_of(k) * scene.boid_count + id].position;
    return Place(nearest_image(place, head, period()), age_of(k));
}

// Whether the nearest image of the next older place is another one than of this.
bool jumps_after(uint k, uint id, vec3 head) {
    vec3 way = place_of(k + 1u, id, head).position - place_of(k, id, head).position;
    return scene.cells.wraps != 0u && any(greaterThan(abs(way), 0.5 * period()));
}

// The last place of the trail: the last sample of the unbroken trail, but at most one beyond trail_seconds.
uint last_place(uint id, vec3 head) {
    if (scene.trail_samples == 0u) {
        return 0u;
    }
    TrailSample newest = trail_history[slot_of(1u) * scene.boid_count + id];
    // The boid may have been placed elsewhere since the newest sample.
    if (distance(nearest_image(newest.position, head, period()), head) > scene.trail_reach) {
        return 0u;
    }
    uint last = 1u;
    while (last < scene.trail_samples && age_of(last) < scene.trail_seconds
           && scene.trail_steps[slot_of(last + 1u)] >= newest.since && !jumps_after(last, id, head)) {
        ++last;
    }
    return last;
}

// The k-th place, cut at trail_seconds.
Place cut_place(uint k, uint last, uint id, vec3 head) {
    k = min(k, last);
    Place place = place_of(k, id, head);
    if (k == 0u || place.age <= scene.trail_seconds) {
        return place;
    }
    Place before = place_of(k - 1u, id, head);
    float share = (scene.trail_seconds - before.age) / (place.age - before.age);
    return Place(mix(before.position, place.position, share), scene.trail_seconds);
}

void main() {
    uint boid = trail_list[gl_InstanceIndex];
    vec4 state = position_vx[boid];
    vec3 velocity = vec3(state.w, velocity_yz[boid]) * scene.speed_scale;
    vec3 head = state.xyz + velocity * scene.extrapolate;
    uint id = min(boid_id[boid], scene.boid_count - 1u);

    uint k = uint(gl_VertexIndex) >> 1u;
    uint last = last_place(id, head);
    Place place = cut_place(k, last, id, head);
    vec3 along = cut_place(k + 1u, last, id, head).position - cut_place(k > 0u ? k - 1u : 0u, last, id, head).position;
    vec3 view = scene.eye - place.position;
    vec3 across = cross(along, view);
    float size = length(across);
    across = size > 1e-12 ? across / size : vec3(0.0);

    float share = place.age / scene.trail_seconds;
    float width = mix(scene.trail_width.x, scene.trail_width.y, share);
    float pixels = width * scene.pixels_per_radian * float(scene.block) / max(length(view), 1e-6);
    float drawn = max(pixels, THINNEST_PIXELS);
    // Half a pixel wider on each side, for the fragment shader's soft edge.
    out_half = 0.5 * drawn;
    out_across = ((gl_VertexIndex & 1) == 0 ? -1.0 : 1.0) * (out_half + 0.5);
    vec3 world = place.position + across * (out_across * width / pixels);

    uint bits = hash(id);
    vec3 albedo = COLORING == COLORING_NATURAL ? scene.palette.boid : color_of(state.xyz, velocity, bits);
    if (COLORING == COLORING_KIND) {
        albedo = scene.ramp[kind_of(id)];
    }
    // In the light of boids, as a thin sheet that is turned towards the eye and lets light through.
    vec3 light = BACKDROP == BACKDROP_PAPER ? vec3(1.0) : light_on(scene.palette, normalize(view), vec2(1.0), 0.8);
    out_color = albedo * light;
    out_haze = haze_before(scene.palette, scene.haze, view);
    out_alpha = 0.85 * (1.0 - share) * pixels / drawn;
    gl_Position = scene.view_projection * vec4(world, 1.0);
}
