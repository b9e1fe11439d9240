// Light that obstacles leave. Include scene.glsl and vectors.glsl, and declare scene first.
#ifndef SHELTER_GLSL
#define SHELTER_GLSL

#define MESHES (OBSTACLES & OBSTACLES_MESHES) != 0u
#include "surface.glsl"

// Distance to the nearest surface.
float nearest_distance(vec3 position) {
    float nearest = 3e38;
    for (uint k = 0u; k < scene.obstacle_count; ++k) {
        if (may_be_nearer(scene.obstacles[k], position, nearest)) {
            nearest = min(nearest, surface_of(scene.obstacles[k], position).distance);
        }
    }
    return nearest;
}

// Whether an obstacle's bound meets a cone that is 1 / sharpness wide at a distance of 1.
bool may_be_in_cone(vec3 position, vec3 direction, float sharpness) {
    for (uint k = 0u; k < scene.obstacle_count; ++k) {
        vec3 offset = scene.obstacles[k].position - position;
        float bound = scene.obstacles[k].bound;
        float along = dot(offset, direction);
        float reach = (bound + max(along, 0.0) / sharpness) * inversesqrt(1.0 - 1.0 / (sharpness * sharpness));
        if (bound > 1e18 || (along > -bound && dot(offset, offset) - along * along <= reach * reach)) {
            return true;
        }
    }
    return false;
}

// Share of the light from a direction that arrives at `position`; the way begins `first` world units from there. The
// light comes from a cone that is 1 / sharpness wide at a distance of 1.
float open_towards(vec3 position, vec3 direction, float first, float sharpness) {
    float share = 1.0;
    if (!may_be_in_cone(position, direction, sharpness)) {
        return share;
    }
    float way = first;
    for (uint look = 0u; look < SHADOW_LOOKS && share > 0.0; ++look) {
        float distance = nearest_distance(position + direction * way);
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
    return vec2(sun, 0.3 + 0.7 * open_towards(position, vec3(0.0, 1.0, 0.0), first, 2.0));
}

#endif
