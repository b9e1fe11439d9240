// Light that obstacles leave. Include scene.glsl and vectors.glsl, and declare scene first.
#ifndef SHELTER_GLSL
#define SHELTER_GLSL

#include "surface.glsl"

Surface nearest_surface(vec3 position) {
    Surface nearest = surface_of(scene.obstacles[0], position);
    for (uint k = 1u; k < scene.obstacle_count; ++k) {
        Surface other = surface_of(scene.obstacles[k], position);
        if (other.distance < nearest.distance) {
            nearest = other;
        }
    }
    return nearest;
}

// Share of the light from a direction that arrives at `position`, about `first` world units from which the way begins. The light comes
// from a cone that is 1 / sharpness wide at a distance of 1.
float open_towards(vec3 position, vec3 direction, float first, float sharpness) {
    float share = 1.0;
    float way = first;
    for (uint look = 0u; look < SHADOW_LOOKS && share > 0.0; ++look) {
        float distance = nearest_surface(position + direction * way).distance;
        share = min(share, 0.5 + 0.5 * sharpness * distance / way);
        way += max(abs(distance), first);
    }
    share = max(share, 0.0);
    return share * share * (3.0 - 2.0 * share);
}

// Share of the sun's (x) and of the sky's light (y) that obstacles leave at `position`.
vec2 light_past_obstacles(vec3 position, float first) {
    if (OBSTACLES == 0u) {
        return vec2(1.0);
    }
    float sun = open_towards(position, scene.palette.sun_direction, first, 16.0);
    return vec2(sun, 0.3 + 0.7 * open_towards(position, vec3(0.0, 1.0, 0.0), first, 1.0));
}

#endif
