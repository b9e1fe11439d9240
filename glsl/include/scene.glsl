// Structures that the draw passes share with the host, in scalar layout. Each structure has a Rust one of the same name
// in src/render/layout.rs, and a test compares their offsets.
#ifndef SCENE_GLSL
#define SCENE_GLSL

#extension GL_EXT_scalar_block_layout : require
#include "layout.glsl"

// The light of a scene. Colors are linear and may exceed 1; they are tone-mapped last.
struct Palette {
    vec3 sun_direction;  // unit, towards the sun
    vec3 sun_color;      // light that falls on a surface facing the sun
    vec3 zenith;         // sky overhead
    vec3 horizon;        // sky at the horizon, away from the sun
    vec3 glow;           // sky at the horizon, towards the sun
    vec3 water;          // sea below the horizon, without reflection
    vec3 boid;           // albedo of a boid
    vec3 boid_accent;    // albedo to which headings across the sun are blended
    vec3 target;         // albedo of a target
};

// Where the frames of a clip are, and how fast it runs.
struct Clip {
    float first;   // row of its first frame
    float frames;  // in a loop; as many rows follow the first, the last of which repeats it
    float rate;    // loops per second
    float vary;    // by what share the rates of boids differ
};

// The parameters of one frame's cull and draw passes.
struct SceneParams {
    mat4 view_projection;   // world to clip space; depth is 1 at the near plane and 0 at infinity
    vec4 planes[5];         // left, right, bottom, top, near: dot(xyz, p) + w >= 0 inside; xyz is unit
    vec3 eye;               // world units
    vec3 ray_right;         // view direction of a pixel = ray_forward + ndc.x * ray_right + ndc.y * ray_down
    vec3 ray_down;
    vec3 ray_forward;
    Palette palette;
    float pixels_per_radian;  // height of an object in pixels = its height / its distance * this
    float time;             // simulated seconds, for the wings
    float extrapolate;      // simulated seconds since the last step
    float speed_scale;      // world units per second of one unit in the velocity slot
    float boid_length;      // world units from beak to tail
    float lod_pixels;       // boids at least this long are drawn with the detailed mesh
    float silhouette;       // upper bound of the coarse mesh's, in squares of a boid's length
    float haze;             // extinction per world unit
    float shadow;           // how strongly boids shade each other; 0 without a grid
    uint boid_count;
    uint batches;           // of boids that a workgroup of cull looks at
    uint last_first;        // 1 if cull begins with the last boid
    uint target_count;
    uint width;             // blocks of pixels of the picture: each has its samples
    uint height;
    uint block;             // pixels along an edge of a block
    uvec2 pixels;           // of the picture
    uint round;             // without 64-bit atomics: 0 finds the nearest depths, 1 their colors
    uint blue_first;        // 1 if a pixel's bytes are in the order blue, green, red, alpha
    uint encode_srgb;       // 1 if the color attachment does not encode sRGB
    Grid grid;              // that of the last step
    vec4 targets[MAX_TARGETS];  // xyz: position; w: radius
    Grid cells;             // cells as wide as the search radius, for COLORING_CELL
    uvec3 cell;             // the picked one of them
    uint obstacle_count;
    PackedObstacle obstacles[MAX_OBSTACLES];
    vec3 boid_scale;        // stretches a boid's mesh along its right, up and back
    vec3 ramp[RAMP_COLORS];  // colors in ascending order of their values
    float ramp_low;         // the value of the first color
    float ramp_high;        // the value of the last, or of the first again if the ramp is circular
    float values_per_unit;  // for value_histogram: values below the inverse are in the first bin
    float full_speed;       // world units per second: the speed limit of boids
    uint step;              // steps since the start
    float time_step;        // simulated seconds in a step
    float sea;              // its height, in world units
    float wave_length;      // world units
    float flock_distance;   // world units from the eye to the middle of the flock's world
    // level, in the direction of view; unit. The mirror image of the flock is that of mirror.comp
    vec3 mirror_forward;
    vec3 mirror_right;      // level, to the right: 1 along it, for 1 along mirror_forward, is the image's right edge
    float mirror_rise;      // likewise 1 up is this share of the image's height
    uint mirror_stride;     // one of so many boids is looked at
    uint first_row;         // rows of blocks above the first one that is drawn, of a picture in bands
    Clip clips[CLIPS];      // of the shape: src/render/clips
    uint clip_rows;         // frames of all clips
    float trail_seconds;    // length of the trails; the fields below are used only with trails
    vec2 trail_width;       // world units, at the boid and at the trail's end
    float trail_reach;      // world units that a boid may be away from its newest sample
    uint trail_newest;      // slot of the newest samples
    uint trail_samples;     // slots in use, counted back from the newest
    uint trail_slots;       // slots of the ring
    float trail_ages[MAX_TRAIL_SLOTS];  // of each slot: seconds since its samples
    uint trail_steps[MAX_TRAIL_SLOTS];  // of each slot: the step of its samples
    uint kind_ends[MAX_KINDS];    // of each kind of boids, the identity after its last
    float kind_sizes[MAX_KINDS];  // factors
};

// Constants of each pipeline; the compiler removes the code of other values.
layout(constant_id = 0) const uint BACKDROP = BACKDROP_SKY;
layout(constant_id = 1) const uint COLORING = COLORING_NATURAL;
layout(constant_id = 2) const uint POSE = POSE_BIRD;
layout(constant_id = 3) const uint FAR_VERTICES = 4u;   // of the coarse mesh
layout(constant_id = 4) const uint FAR_TRIANGLES = 4u;
// OBSTACLES_ANY if there are any, plus OBSTACLES_MESHES if meshes are among them
layout(constant_id = 5) const uint OBSTACLES = 0u;
layout(constant_id = 6) const uint BEHAVES = 0u;        // 1 if each boid has a state
layout(constant_id = 7) const uint COLORS = COLORS_PLAIN;  // what the mesh says of a boid's color
// coarse ones that a workgroup draws: SPLAT_BATCH vertices and triangles at most
layout(constant_id = 8) const uint MESHES_AT_ONCE = 32u;
layout(constant_id = 9) const uint KINDS = 0u;          // kinds of boids, or 0

// A boid that is drawn as a mesh.
struct VisibleBoid {
    vec3 position;  // world units, after the last step
    uint id;
    vec3 velocity;  // world units per second
    uint light;     // share of the sun's and of the sky's light that reaches it, as two 16-bit fractions
    float value;    // what its color shows, for COLORING_NEIGHBORS
    uint behavior;  // its word, if it has a state
};

// A triangle of the coarse mesh, at rest.
struct FarTriangle {
    uvec3 corners;   // vertices, counter-clockwise seen from the front
    vec3 area;       // along the normal, as long as the triangle has area
    vec3 albedo;     // its own color, or a factor of the boid's: see COLORS
    float wing;      // how much of it is wing
    uint two_sided;  // 1 if both faces show
};

// VkDrawIndexedIndirectCommand.
struct DrawCommand {
    uint index_count;
    uint instance_count;
    uint first_index;
    int vertex_offset;
    uint first_instance;
};

#endif
