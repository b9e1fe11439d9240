// cell (vertex): the edges of the picked cell, and of the block of up to 27 cells around it, as lines of a few pixels.
//
// Each edge is two triangles, turned towards the eye: six vertices, twelve edges a box, two boxes. They are drawn in
// front of everything. trail.frag colors their fragments.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) out vec3 out_color;
layout(location = 1) out vec4 out_haze;
layout(location = 2) out float out_alpha;
layout(location = 3) noperspective out float out_across;
layout(location = 4) out float out_half;

const float LINE_PIXELS = 1.6;

void main() {
    uint vertex = uint(gl_VertexIndex);
    uint corner = vertex % 6u;
    uint edge = vertex / 6u % 12u;
    bool block = vertex >= 72u;
    // A cell at the border extends beyond these edges, to infinity.
    uvec3 first = block ? max(scene.cell, uvec3(1u)) - 1u : scene.cell;
    uvec3 last = block ? min(scene.cell + 1u, scene.cells.dims - 1u) : scene.cell;
    vec3 low = scene.cells.origin + vec3(first) * scene.cells.cell_size;
    vec3 high = scene.cells.origin + vec3(last + 1u) * scene.cells.cell_size;

    // The edge runs along `axis`; the other two coordinates are at one end or the other.
    uint axis = edge / 4u;
    vec3 ends = vec3(0.0);
    ends[(axis + 1u) % 3u] = float(edge & 1u);
    ends[(axis + 2u) % 3u] = float(edge >> 1u & 1u);
    vec3 along = vec3(0.0);
    along[axis] = 1.0;
    float at = corner == 0u || corner == 1u || corner == 4u ? 0.0 : 1.0;
    float side = corner == 0u || corner == 2u || corner == 3u ? -1.0 : 1.0;
    vec3 place = mix(low, high, ends + along * at);

    vec3 view = scene.eye - place;
    vec3 across = cross(along, view);
    across /= max(length(across), 1e-12);
    // Half a pixel wider on each side, for the fragment shader's soft edge.
    out_half = 0.5 * LINE_PIXELS;
    out_across = side * (out_half + 0.5);
    vec3 world = place + across * (out_across * length(view) / scene.pixels_per_radian);
    out_color = block ? vec3(0.0, 0.35, 0.42) : vec3(0.8, 0.0, 0.0);
    out_haze = vec4(0.0, 0.0, 0.0, 1.0);
    out_alpha = 1.0;
    gl_Position = scene.view_projection * vec4(world, 1.0);
    gl_Position.z = 0.5 * (gl_Position.z + gl_Position.w);
}
