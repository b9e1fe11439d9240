// Draws small boids into the samples: triangles of the coarse mesh, or points. Include the files of cull.comp first.
#ifndef SPLAT_GLSL
#define SPLAT_GLSL

layout(set = 2, binding = BINDING_FAR_MESH, scalar) readonly buffer FarMesh { FarTriangle far_mesh[]; };

// How boid_scale stretches an area, by the axis that it faces.
vec3 area_scale() { return scene.boid_scale.yzx * scene.boid_scale.zxy; }

// The silhouette of the coarse mesh in `pose`, wings at rest, as seen from the eye: in squares of its length; and the triangle
// by which a boid is shaded that is but a point. The triangle is chosen at random, in proportion to the areas that they show,
// so that a flock of points has the light of a flock of meshes.
float silhouette(Pose pose, out uint chosen) {
    vec3 view = area_scale() * (transpose(pose.basis) * normalize(scene.eye - pose.center));
    float choice = unit_float(hash(pose.bits + 17u));
    float all = 0.0;
    chosen = 0u;
    for (uint k = 0u; k < uint(far_mesh.length()); ++k) {
        float faces = dot(far_mesh[k].area, view);
        float seen = far_mesh[k].two_sided == 1u ? abs(faces) : max(faces, 0.0);
        all += seen;
        // Each triangle replaces the earlier choice with the probability of its share so far, which leaves `choice` uniform.
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

// A point of the picture: xy in pixels, z is the depth.
vec3 on_screen(vec4 clip) {
    vec3 ndc = clip.xyz / clip.w;
    return vec3((0.5 + 0.5 * ndc.xy) * vec2(scene.width, scene.height), ndc.z);
}

// The color code of a flat surface of a boid at `world` with this normal, which need not be a unit vector.
uint surface_code(Drawn boid, FarTriangle triangle, vec3 world, vec3 normal) {
    vec3 albedo = boid.tint * triangle.albedo;
    float translucency = 0.0;
    if (POSE == POSE_FISH) {
        albedo = skin_albedo(boid.tint, triangle.albedo);
        translucency = FISH_TRANSLUCENCY;
    } else if (POSE == POSE_BIRD) {
        translucency = 0.4 * dot(triangle.wing, vec3(1.0 / 3.0));
    }
    vec3 view = scene.eye - world;
    normal = normalize(dot(normal, view) < 0.0 ? -normal : normal);
    vec4 haze = haze_before(scene.palette, scene.haze, view);
    vec2 light = unpackUnorm2x16(boid.light);
    return color_code(shown(scene.palette, albedo, normal, normalize(view), haze, light, translucency));
}

// Pixels along an edge of the box of the largest triangle that is drawn here: one invocation draws it, so a larger one would
// take too long. Boids are larger only if visible_boids is full.
const int MOST_PIXELS = 128;

float cross_2d(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

// Draws a triangle of a boid into the samples whose places it covers.
//
// All invocations shade their triangle before any looks for samples: the search takes each a different number of turns, and
// shading within it would be done for one invocation at a time.
void splat_triangle(Drawn boid, FarTriangle triangle) {
    Pose pose = pose_of(boid.position, boid.velocity, hash(boid.id));
    vec3 world[3];
    vec3 corner[3];
    bool before_eye = true;
    for (uint k = 0u; k < 3u; ++k) {
        vec3 unused = vec3(0.0);
        world[k] = posed(pose, triangle.corners[k], triangle.wing[k], unused);
        vec4 clip = clip_of(world[k], boid.tint);
        before_eye = before_eye && clip.w > clip.z;
        corner[k] = on_screen(clip);
    }
    vec3 normal = cross(world[1] - world[0], world[2] - world[0]);
    uint code = surface_code(boid, triangle, (world[0] + world[1] + world[2]) / 3.0, normal);

    // Twice the area on the screen: negative for a triangle that is seen from its front, because y points down.
    float area = cross_2d(corner[1].xy - corner[0].xy, corner[2].xy - corner[0].xy);
    bool faces = area < 0.0 || (triangle.two_sided == 1u && area > 0.0);
    vec2 low = min(min(corner[0].xy, corner[1].xy), corner[2].xy);
    vec2 high = max(max(corner[0].xy, corner[1].xy), corner[2].xy);
    ivec2 first = ivec2(max(floor(low), vec2(0.0)));
    ivec2 last = ivec2(min(floor(high), vec2(scene.width, scene.height) - 1.0));
    if (!faces || !before_eye || any(greaterThan(last - first, ivec2(MOST_PIXELS)))) {
        return;
    }
    // Weights of the corners at a place, and so the depth, change linearly on the screen.
    vec2 edge_b = corner[2].xy - corner[0].xy;
    vec2 edge_c = corner[1].xy - corner[0].xy;
    for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) {
            uint sample_at = first_sample(uvec2(x, y));
            for (uint k = 0u; k < SAMPLES; ++k) {
                vec2 place = vec2(x, y) + SAMPLE_PLACES[k] - corner[0].xy;
                float b = cross_2d(place, edge_b) / area;
                float c = cross_2d(edge_c, place) / area;
                if (b >= 0.0 && c >= 0.0 && b + c <= 1.0) {
                    float depth = corner[0].z + b * (corner[1].z - corner[0].z) + c * (corner[2].z - corner[0].z);
                    put_sample(sample_at + k, depth, code);
                }
            }
        }
    }
}

// Puts a boid of a few samples into one pixel: `count` samples, from one on that its hash selects.
void splat_point(Drawn boid, FarTriangle triangle, uint count) {
    Pose pose = pose_of(boid.position, boid.velocity, hash(boid.id));
    uint code = surface_code(boid, triangle, pose.center, pose.basis * (triangle.area * area_scale()));
    vec3 place = on_screen(clip_of(pose.center, boid.tint));
    if (any(lessThan(place.xy, vec2(0.0))) || any(greaterThanEqual(place.xy, vec2(scene.width, scene.height)))) {
        return;
    }
    uint first = first_sample(uvec2(place.xy));
    for (uint k = 0u; k < count; ++k) {
        put_sample(first + (pose.bits + k) % SAMPLES, place.z, code);
    }
}

#endif
