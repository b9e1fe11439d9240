// The surface of an obstacle. Include layout.glsl and vectors.glsl first, and define MESHES where meshes are met:
// whether there are any.
//
// Each obstacle is known by its signed distance: from a position to the nearest place of its surface, below zero
// inside. That of several is the least. Outside it is exact, or for a mesh less, so one may move so far in any
// direction without meeting a surface.
#ifndef SURFACE_GLSL
#define SURFACE_GLSL

struct Surface {
    float distance;  // world units, below zero inside
    vec3 normal;     // unit, out of the nearest place of it
};

#ifdef MESHES
#include "mesh_surface.glsl"
#endif

// The unit vector across `axis`.
vec3 across(vec3 axis) {
    return direction_of(cross(axis, abs(axis.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0)));
}

// Whether an obstacle may be nearer to `position` than `distance`: a test that is cheaper than its distance.
bool may_be_nearer(PackedObstacle obstacle, vec3 position, float distance) {
    vec3 offset = position - obstacle.position;
    float reach = min(obstacle.bound + max(distance, 0.0), 1e19);
    return dot(offset, offset) < reach * reach;
}

Surface surface_of(PackedObstacle obstacle, vec3 position) {
    vec3 offset = position - obstacle.position;  // from the nearest place of the core
    vec3 extent = obstacle.extent;
#ifdef MESHES
    if (MESHES) {
        if (obstacle.kind >= OBSTACLE_MESH) {
            return mesh_surface(obstacle, offset);
        }
    }
#endif
    if (obstacle.kind == OBSTACLE_PLANE) {
        return Surface(dot(offset, extent), extent);
    } else if (obstacle.kind == OBSTACLE_BOX) {
        vec3 beyond = abs(offset) - extent;
        float deepest = max(max(beyond.x, beyond.y), beyond.z);
        vec3 side = vec3(offset.x < 0.0 ? -1.0 : 1.0, offset.y < 0.0 ? -1.0 : 1.0, offset.z < 0.0 ? -1.0 : 1.0);
        if (deepest <= 0.0) {
            vec3 face = beyond.x == deepest ? vec3(1.0, 0.0, 0.0) : beyond.z == deepest ? vec3(0.0, 0.0, 1.0)
                : vec3(0.0, 1.0, 0.0);
            return Surface(deepest - obstacle.radius, face * side);
        }
        offset = max(beyond, 0.0) * side;
    } else if (obstacle.kind == OBSTACLE_CAPSULE) {
        offset -= extent * clamp(dot(offset, extent) / max(dot(extent, extent), SMALLEST_NORMAL), -1.0, 1.0);
    } else if (obstacle.kind == OBSTACLE_TORUS) {
        vec3 axis = direction_of(extent);
        vec3 outwards = direction_of(offset - axis * dot(offset, axis));
        offset -= (outwards == vec3(0.0) ? across(axis) : outwards) * length(extent);
    }
    vec3 normal = direction_of(offset);
    return Surface(length(offset) - obstacle.radius, normal == vec3(0.0) ? vec3(1.0, 0.0, 0.0) : normal);
}

#endif
