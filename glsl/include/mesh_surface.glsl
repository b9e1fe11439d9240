// The surface of a mesh, by its volume of distances. Include it by surface.glsl.
//
// A volume has distances at the corners of cubic cells around the mesh, whose middle is at zero and whose largest edge
// is 1. Between them they are interpolated, which may be off by `radius` of the obstacle: less that, one may move so
// far without meeting the surface.
#ifndef MESH_SURFACE_GLSL
#define MESH_SURFACE_GLSL

layout(set = 0, binding = BINDING_OBSTACLE_VOLUMES, scalar)
    readonly buffer ObstacleVolumes { float obstacle_volumes[]; };

vec3 of_volume(uint at) {
    return vec3(obstacle_volumes[at], obstacle_volumes[at + 1u], obstacle_volumes[at + 2u]);
}

float between(float a, float b, float share) {
    return a + (b - a) * share;
}

// Distances at the four corners of a side of a cell, x first; `row`: numbers from one to the next along y.
vec4 of_layer(uint at, uint row) {
    return vec4(obstacle_volumes[at], obstacle_volumes[at + 1u], obstacle_volumes[at + row],
        obstacle_volumes[at + row + 1u]);
}

// `offset`: from the middle of the mesh.
Surface mesh_surface(PackedObstacle obstacle, vec3 offset) {
    vec2 turn = obstacle.extent.xy;
    float size = obstacle.extent.z;
    vec3 own = vec3(turn.x * offset.x - turn.y * offset.z, offset.y, turn.y * offset.x + turn.x * offset.z);
    float unit_cell = obstacle_volumes[obstacle.volume + 3u];
    float cell = unit_cell * size;
    vec3 dims = of_volume(obstacle.volume + 4u);
    vec3 place = (own - of_volume(obstacle.volume) * size) / cell;
    vec3 nearest = clamp(place, vec3(0.0), dims - 1.0);  // in the volume
    vec3 corner = min(floor(nearest), dims - 2.0);
    vec3 share = nearest - corner;
    // What is no number becomes any, so it is limited as an index too.
    uvec3 counts = uvec3(dims);
    uvec3 index = min(uvec3(corner), counts - 2u);
    uint at = obstacle.volume + VOLUME_HEADER + index.x + counts.x * (index.y + counts.y * index.z);
    vec4 front = of_layer(at, counts.x);
    vec4 back = of_layer(at + counts.x * counts.y, counts.x);
    vec4 along_x = vec4(between(front.x, front.y, share.x), between(front.z, front.w, share.x),
        between(back.x, back.y, share.x), between(back.z, back.w, share.x));
    vec2 along_y = vec2(between(along_x.x, along_x.y, share.y), between(along_x.z, along_x.w, share.y));
    vec2 climb = vec2(between(front.y - front.x, front.w - front.z, share.y),
        between(back.y - back.x, back.w - back.z, share.y));
    vec3 slope = vec3(between(climb.x, climb.y, share.z),
        between(along_x.y - along_x.x, along_x.w - along_x.z, share.z), along_y.y - along_y.x);
    slope /= unit_cell;
    float distance = between(along_y.x, along_y.y, share.z) * size - obstacle.radius;

    // From elsewhere, the way to the volume and the way on are at an angle of at least 90 degrees.
    vec3 beyond = (place - nearest) * cell;
    float squared = dot(beyond, beyond);
    if (squared > 0.0) {
        float rest = max(distance, 0.0);
        distance = sqrt(squared + rest * rest);
        slope = beyond + rest * vec3(beyond.x == 0.0 ? slope.x : 0.0, beyond.y == 0.0 ? slope.y : 0.0,
            beyond.z == 0.0 ? slope.z : 0.0);
    }
    vec3 normal = vec3(turn.x * slope.x + turn.y * slope.z, slope.y, turn.x * slope.z - turn.y * slope.x);
    float around = length(offset) - obstacle.bound;
    if (around > distance) {
        distance = around;
        normal = offset;
    }
    if (obstacle.kind == OBSTACLE_SECTION) {
        normal.y = 0.0;
    }
    normal = direction_of(normal);
    return Surface(distance, normal == vec3(0.0) ? vec3(1.0, 0.0, 0.0) : normal);
}

#endif
