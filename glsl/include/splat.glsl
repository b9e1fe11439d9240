// Draws small boids into the samples: triangles of the coarse mesh, or points. Include the files of cull.comp first.
#ifndef SPLAT_GLSL
#define SPLAT_GLSL

// For `cull`, which says why its loops are not unrolled.
#extension GL_EXT_control_flow_attributes : require

// Of each frame, the places of the vertices of the coarse mesh: right, up, back, in lengths of a boid.
layout(set = 2, binding = BINDING_FAR_FRAMES, scalar) readonly buffer FarFrames { vec3 far_frames[]; };
layout(set = 2, binding = BINDING_FAR_TRIANGLES, scalar) readonly buffer FarTriangles { FarTriangle far_triangles[]; };

// Pixels along an edge of the box of the largest triangle that is drawn here: one invocation draws it, so a larger one
// would take too long. Boids are larger only if visible_boids is full.
const int MOST_PIXELS = 128;

// How boid_scale stretches an area, by the axis that it faces.
vec3 area_scale() { return scene.boid_scale.yzx * scene.boid_scale.zxy; }

// The silhouette of the coarse mesh at rest, turned as `pose` says, as seen from the eye: in squares of its length; and
// the triangle by which a boid is shaded that is but a point. The triangle is chosen at random, in proportion to the
// areas that they show, so that a flock of points has the light of a flock of meshes.
float silhouette(Pose pose, out uint chosen) {
    vec3 view = area_scale() * (transpose(pose.basis) * normalize(scene.eye - pose.center));
    float choice = unit_float(hash(pose.bits + 17u));
    float all = 0.0;
    chosen = 0u;
    [[dont_unroll]] for (uint k = 0u; k < FAR_TRIANGLES; ++k) {
        float faces = dot(far_triangles[k].area, view);
        float seen = far_triangles[k].two_sided == 1u ? abs(faces) : max(faces, 0.0);
        all += seen;
        // Each triangle replaces the earlier choice with the probability of its share so far, which leaves `choice`
        // uniform.
        float share = seen > 0.0 ? seen / all : 0.0;
        if (choice < share) {
            chosen = k;
            choice /= share;
        } else {
            choice = share < 1.0 ? (choice - share) / (1.0 - share) : 0.0;
        }
    }
    return all;
}

// The color code of a flat surface of a boid, at `world` with this normal, which need not be a unit vector.
uint surface_code(Lit lit, FarTriangle triangle, vec3 world, vec3 normal) {
    vec3 tint = vec3(unpackHalf2x16(lit.tint.x), unpackHalf2x16(lit.tint.y).x);
    vec4 haze = vec4(unpackHalf2x16(lit.haze.x), unpackHalf2x16(lit.haze.y));
    vec3 albedo = COLORS == COLORS_PLAIN ? tint * triangle.albedo : own_albedo(tint, triangle.albedo);
    float translucency = COLORS == COLORS_TEXTURE ? FISH_TRANSLUCENCY : 0.4 * triangle.wing;
    vec3 view = normalize(scene.eye - world);
    normal = normalize(dot(normal, view) < 0.0 ? -normal : normal);
    vec2 light = unpackUnorm2x16(lit.light);
    light.x *= light_under_waves(scene.palette, world, scene.boid_length, scene.time);
    return color_code(shown(scene.palette, albedo, normal, view, haze, light, translucency));
}

// A point of the picture: xy in pixels, z is the depth.
vec3 on_screen(vec4 clip) {
    vec3 ndc = clip.xyz / clip.w;
    return vec3((0.5 + 0.5 * ndc.xy) * vec2(scene.width, scene.height), ndc.z);
}

// A point of a boid in clip space.
vec4 clip_of_drawn(uint place, vec3 world) {
    return clip_of(world, COLORING == COLORING_CELL ? cell_color(position_of(drawn_boid(place))) : vec3(0.0));
}

// Whether a point of the picture is in one of its pixels.
bool is_in_picture(vec3 place) {
    return all(greaterThanEqual(place.xy, vec2(0.0))) && all(lessThan(place.xy, vec2(scene.width, scene.height)));
}

// Of the samples that a boid in one pixel covers, the k-th: from one on that its hash selects.
uint sample_of_point(vec3 place, uint bits, uint k) { return first_sample(uvec2(place.xy)) + (bits + k) % SAMPLES; }

float cross_2d(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

// Puts a triangle of the small boid at `place`, with corners in the world, into the samples whose places it covers.
void splat_triangle(uint place, Lit lit, FarTriangle triangle, vec3 world[3]) {
    // First the color, before any invocation searches for samples. The search takes each a different number of turns,
    // and a compiler that finds the color computed in it would compute it for one invocation at a time.
    vec3 normal = cross(world[1] - world[0], world[2] - world[0]);
    uint code = surface_code(lit, triangle, (world[0] + world[1] + world[2]) / 3.0, normal);

    vec4 clip[3];
    vec3 corner[3];
    for (uint k = 0u; k < 3u; ++k) {
        clip[k] = clip_of_drawn(place, world[k]);
        corner[k] = on_screen(clip[k]);
    }
    bool before_eye = clip[0].w > clip[0].z && clip[1].w > clip[1].z && clip[2].w > clip[2].z;
    vec2 low = min(min(corner[0].xy, corner[1].xy), corner[2].xy);
    vec2 high = max(max(corner[0].xy, corner[1].xy), corner[2].xy);
    ivec2 first = ivec2(max(floor(low), vec2(0.0)));
    ivec2 last = ivec2(min(floor(high), vec2(scene.width, scene.height) - 1.0));
    if (!before_eye || any(greaterThan(last - first, ivec2(MOST_PIXELS)))) {
        return;
    }
    // Weights of two corners at a place, and so the depth, change linearly on the screen.
    vec2 to_b = corner[1].xy - corner[0].xy;
    vec2 to_c = corner[2].xy - corner[0].xy;
    float inverse = 1.0 / cross_2d(to_b, to_c);
    vec2 slope_b = vec2(to_c.y, -to_c.x) * inverse;
    vec2 slope_c = vec2(-to_b.y, to_b.x) * inverse;
    float depth_b = corner[1].z - corner[0].z;
    float depth_c = corner[2].z - corner[0].z;
    for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) {
            uint sample_at = first_sample(uvec2(x, y));
            [[dont_unroll]] for (uint k = 0u; k < SAMPLES; ++k) {
                vec2 from_a = vec2(x, y) + SAMPLE_PLACES[k] - corner[0].xy;
                float b = dot(from_a, slope_b);
                float c = dot(from_a, slope_c);
                if (b >= 0.0 && c >= 0.0 && b + c <= 1.0) {
                    put_sample(sample_at + k, corner[0].z + b * depth_b + c * depth_c, code);
                }
            }
        }
    }
}

// Puts the boid of invocation `lane` into `count` samples of one pixel.
void splat_point(uint lane, Pose pose, Lit lit, uint triangle, uint count) {
    FarTriangle chosen = far_triangles[triangle];
    uint code = surface_code(lit, chosen, pose.center, pose.basis * (chosen.area * area_scale()));
    vec3 place = on_screen(clip_of_drawn(lane, pose.center));
    if (!is_in_picture(place)) {
        return;
    }
    for (uint k = 0u; k < count; ++k) {
        put_sample(sample_of_point(place, pose.bits, k), place.z, code);
    }
}

// The place of a vertex of the coarse mesh between the frames and the clips at which the boid is.
vec3 between_far_frames(Pose pose, uint vertex) {
    vec3 place = vec3(0.0);
    [[dont_unroll]] for (uint clip = 0u; clip < CLIPS; ++clip) {
        float weight = pose.weights[clip];
        if (weight > 0.0) {
            float row = clip_row(clip, pose.bits);
            uint at = uint(row) * FAR_VERTICES + vertex;
            place += weight * mix(far_frames[at], far_frames[at + FAR_VERTICES], fract(row));
        }
    }
    return place;
}

// Draws the coarse meshes of the first `count` of the boids that are now drawn, as many at once as there is room for:
// first poses their vertices, then finds the triangles that face the eye, then draws those. All invocations of the
// workgroup call it, each with the light on its own boid, whose place is `own`, or beyond `count` if it has none. It
// keeps that light until then: shared by all at once, it would take room from many more workgroups.
void splat_meshes(uint count, uint own, Lit lit) {
    for (uint start = 0u; start < count; start += MESHES_AT_ONCE) {
        uint boids = min(MESHES_AT_ONCE, count - start);
        barrier();
        if (own - start < boids) {
            lit_boids[own - start] = lit;
        }
        for (uint k = gl_LocalInvocationIndex; k < boids * FAR_VERTICES; k += WORKGROUP_SIZE) {
            Pose pose = pose_of_drawn(start + k / FAR_VERTICES);
            posed_vertices[k] = posed(pose, between_far_frames(pose, k % FAR_VERTICES));
        }
        for (uint k = gl_LocalInvocationIndex; k < SPLAT_BATCH / 4u; k += WORKGROUP_SIZE) {
            facing[k] = 0u;
        }
        if (gl_LocalInvocationIndex == 0u) {
            facing_count = 0u;
        }
        barrier();
        for (uint k = gl_LocalInvocationIndex; k < boids * FAR_TRIANGLES; k += WORKGROUP_SIZE) {
            FarTriangle triangle = far_triangles[k % FAR_TRIANGLES];
            uvec3 corners = triangle.corners + FAR_VERTICES * (k / FAR_TRIANGLES);
            vec3 a = posed_vertices[corners.x];
            vec3 normal = cross(posed_vertices[corners.y] - a, posed_vertices[corners.z] - a);
            bool faces = triangle.two_sided == 1u || dot(normal, scene.eye - a) > 0.0;
            uint place;
            APPEND(facing_count, faces, place);
            if (faces) {
                atomicOr(facing[place / 4u], k << 8u * (place % 4u));
            }
        }
        barrier();
        for (uint k = gl_LocalInvocationIndex; k < facing_count; k += WORKGROUP_SIZE) {
            uint face = facing[k / 4u] >> 8u * (k % 4u) & 255u;
            uint boid = face / FAR_TRIANGLES;
            FarTriangle triangle = far_triangles[face % FAR_TRIANGLES];
            uvec3 corners = triangle.corners + FAR_VERTICES * boid;
            vec3 world[3] = vec3[](posed_vertices[corners.x], posed_vertices[corners.y], posed_vertices[corners.z]);
            splat_triangle(start + boid, lit_boids[boid], triangle, world);
        }
    }
}

#endif
