// obstacle (vertex): the surface of each obstacle, as a grid of COLUMNS by ROWS of quads; of a mesh its triangles, from
// both sides. obstacle.frag shades it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "vectors.glsl"
#include "surface.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

// Three corners each, of meshes whose middle is at zero and whose largest edge is 1.
layout(set = 0, binding = BINDING_OBSTACLE_TRIANGLES, scalar)
    readonly buffer ObstacleTriangles { vec3 obstacle_triangles[]; };

#include "camera.glsl"

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_world;

// Two triangles for each side of a box, counter-clockwise seen from outside.
void box(PackedObstacle obstacle, uint vertex) {
    uint side = vertex / 6u;
    uint corner = vertex % 6u;
    uint axis = side >> 1u;
    float out_of = (side & 1u) == 0u ? -1.0 : 1.0;
    vec2 place = vec2(corner == 1u || corner == 2u || corner == 4u ? 1.0 : -1.0,
        corner == 2u || corner >= 4u ? 1.0 : -1.0);
    place.x *= out_of;
    vec3 unit = vec3(0.0);
    unit[axis] = out_of;
    out_normal = unit;
    unit[(axis + 1u) % 3u] = place.x;
    unit[(axis + 2u) % 3u] = place.y;
    // Beyond a box there is nothing.
    out_world = obstacle.position + (side < 6u ? unit * obstacle.extent : vec3(0.0));
}

// Six vertices for each triangle: its corners, counter-clockwise from either side. Lit as flat.
void mesh(PackedObstacle obstacle, uint vertex) {
    uint first = vertex / 6u * 3u;
    uint corner = vertex % 3u;
    bool turned = vertex % 6u >= 3u;
    vec3 a = obstacle_triangles[first];
    vec3 normal = direction_of(cross(obstacle_triangles[first + 1u] - a, obstacle_triangles[first + 2u] - a));
    normal = turned ? -normal : normal;
    vec3 place = obstacle.extent.z * obstacle_triangles[first + (turned ? 2u - corner : corner)];
    vec2 turn = obstacle.extent.xy;
    out_normal = vec3(turn.x * normal.x + turn.y * normal.z, normal.y, turn.x * normal.z - turn.y * normal.x);
    out_world = obstacle.position
        + vec3(turn.x * place.x + turn.y * place.z, place.y, turn.x * place.z - turn.y * place.x);
}

void main() {
    PackedObstacle obstacle = scene.obstacles[gl_InstanceIndex];
    uint vertex = uint(gl_VertexIndex);
    if ((OBSTACLES & OBSTACLES_MESHES) != 0u) {
        if (obstacle.kind >= OBSTACLE_MESH) {
            mesh(obstacle, vertex);
            gl_Position = scene.view_projection * vec4(out_world, 1.0);
            return;
        }
    }
    uint corner = vertex % 6u;
    uvec2 quad = uvec2(vertex / 6u % OBSTACLE_COLUMNS, vertex / 6u / OBSTACLE_COLUMNS);
    uvec2 node = quad + uvec2(corner == 1u || corner == 2u || corner == 4u ? 1u : 0u,
        corner == 2u || corner >= 4u ? 1u : 0u);
    float around = TAU * float(node.x) / float(OBSTACLE_COLUMNS);
    float row = float(node.y) / float(OBSTACLE_ROWS);

    vec3 axis = direction_of(obstacle.extent);
    axis = axis == vec3(0.0) ? vec3(0.0, 1.0, 0.0) : axis;
    vec3 right = across(axis);
    vec3 front = cross(right, axis);
    vec3 outwards = right * cos(around) - front * sin(around);
    if (obstacle.kind == OBSTACLE_BOX) {
        box(obstacle, vertex);
    } else if (obstacle.kind == OBSTACLE_TORUS) {
        float tilt = TAU * row;
        out_normal = outwards * cos(tilt) + axis * sin(tilt);
        out_world = obstacle.position + outwards * length(obstacle.extent) + out_normal * obstacle.radius;
    } else if (obstacle.kind == OBSTACLE_PLANE) {
        // A disk below the flock, whose quads grow with the distance.
        vec3 middle = scene.grid.origin + 0.5 * vec3(scene.grid.dims) * scene.grid.cell_size;
        middle -= axis * dot(middle - obstacle.position, axis);
        float inside = 1.0 - row;
        float reach = 20.0 * length(vec3(scene.grid.dims) * scene.grid.cell_size);
        out_normal = axis;
        out_world = middle + outwards * (reach * inside * inside * inside);
    } else {
        // A ball whose halves are as far apart as the segment is long: one row of quads lies between them.
        uint half_rows = OBSTACLE_ROWS / 2u;
        bool upper = node.y > half_rows;
        float tilt = 0.5 * TAU * (float(upper ? node.y - 1u : node.y) / float(OBSTACLE_ROWS - 1u) - 0.5);
        out_normal = outwards * cos(tilt) + axis * sin(tilt);
        out_world = obstacle.position + (upper ? obstacle.extent : -obstacle.extent) + out_normal * obstacle.radius;
    }
    gl_Position = scene.view_projection * vec4(out_world, 1.0);
}
