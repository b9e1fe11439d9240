#version 460
// mesh_distance: the distance to the nearest triangle of a mesh, at each corner of the cells of its volume.
//
// in         mesh_nodes       a tree of boxes: the nodes below one follow it
//            mesh_triangles   in the order of its leaves
// out        mesh_distances   of the corners, x fastest; without a sign
// invariant  each invocation writes its own element
// cost       4 B a corner, and some hundred nodes, of which most come from the caches: corners of a subgroup are
//            neighbors
//
// Not for Mesa before 23, which ends loops after 65,535 turns: in the middle of a ball, all triangles are as near.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "dispatch.glsl"

// As src/mesh/ has them.
struct Lattice {
    vec3 origin;  // place of the first corner
    float cell;   // edge of a cell
    uvec3 dims;   // corners along each axis
};

struct PackedNode {
    vec3 low;        // its box
    uint after;      // the first node that is neither this one nor below it
    vec3 high;
    uint triangles;  // of a leaf its first triangle times 8 plus their count; else 0
};

struct PackedTriangle {
    vec3 corners[3];
    vec3 normal;  // unit, or zero if it is degenerate
};

layout(push_constant, scalar) uniform Push { Lattice lattice; };
layout(set = 0, binding = 0, scalar) readonly buffer MeshNodes { PackedNode mesh_nodes[]; };
layout(set = 0, binding = 1, scalar) readonly buffer MeshTriangles { PackedTriangle mesh_triangles[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer MeshDistances { float mesh_distances[]; };

// All that follows are squared distances.

float squared(vec3 v) { return dot(v, v); }

float to_box(PackedNode node, vec3 place) { return squared(clamp(place, node.low, node.high) - place); }

// Whether `place` is on the inner side of an edge, seen along the normal, and how far it is from the edge.
bool is_inside(vec3 from, vec3 to, vec3 normal, vec3 place, inout float nearest) {
    vec3 way = to - from;
    vec3 offset = place - from;
    float share = clamp(dot(offset, way) / max(dot(way, way), 1e-38), 0.0, 1.0);
    nearest = min(nearest, squared(offset - share * way));
    return dot(cross(normal, way), offset) >= 0.0;
}

float to_triangle(PackedTriangle triangle, vec3 place) {
    float nearest = 1e38;
    bool above = triangle.normal != vec3(0.0);
    for (uint k = 0u; k < 3u; ++k) {
        bool inside = is_inside(triangle.corners[k], triangle.corners[(k + 1u) % 3u], triangle.normal, place, nearest);
        above = above && inside;
    }
    float height = dot(triangle.normal, place - triangle.corners[0]);
    return above ? height * height : nearest;
}

float to_leaf(PackedNode node, vec3 place, float nearest) {
    uint first = node.triangles >> 3u;
    for (uint k = 0u; k < (node.triangles & 7u); ++k) {
        nearest = min(nearest, to_triangle(mesh_triangles[first + k], place));
    }
    return nearest;
}

// The nearest triangle of one leaf: down the tree, each time to the nearer box.
float to_likely_leaf(vec3 place) {
    uint at = 0u;
    while (mesh_nodes[at].triangles == 0u) {
        uint left = at + 1u;
        uint right = mesh_nodes[left].after;
        at = to_box(mesh_nodes[right], place) < to_box(mesh_nodes[left], place) ? right : left;
    }
    return to_leaf(mesh_nodes[at], place, 1e38);
}

void main() {
    uint i = invocation_index();
    if (i >= lattice.dims.x * lattice.dims.y * lattice.dims.z) {
        return;
    }
    uvec3 corner = uvec3(i % lattice.dims.x, i / lattice.dims.x % lattice.dims.y, i / lattice.dims.x / lattice.dims.y);
    vec3 place = lattice.origin + vec3(corner) * lattice.cell;
    float nearest = to_likely_leaf(place);
    // Past each box that is farther than what is known; no node is visited twice, so no stack is needed.
    for (uint at = 0u; at < uint(mesh_nodes.length());) {
        PackedNode node = mesh_nodes[at];
        bool nearer = to_box(node, place) < nearest;
        if (nearer && node.triangles != 0u) {
            nearest = to_leaf(node, place, nearest);
        }
        at = nearer ? at + 1u : node.after;
    }
    mesh_distances[i] = sqrt(nearest);
}
