// Structures shared with the host, in scalar layout: a vec3 is twelve bytes and nothing is padded.
// Each has a Rust struct of the same name in src/flock/layout.rs or src/render/layout.rs; a test compares
// the offsets in the built SPIR-V with those of Rust.
#ifndef LAYOUT_GLSL
#define LAYOUT_GLSL

#extension GL_EXT_scalar_block_layout : require

// The neighbor grid. Cell (x, y, z) has the id x + dims.x * (z + dims.z * y): x-adjacent cells are
// contiguous in memory, so that a row of cells is one range of boids.
struct Grid {
    vec3 origin;         // lower corner, world units
    vec3 cell_size;      // world units; finer in x than in y and z
    vec3 inv_cell_size;  // 1 / cell_size
    uvec3 dims;          // cells along each axis
    float slack;         // world units; covers the rounding of a cell's border
    uint cell_count;     // dims.x * dims.y * dims.z
    uint wraps;          // 1 on a torus, whose first and last cells are beside each other
};

// A row of cells beside a boid's own, or its own. Lengths are in columns, the width of a cell along x.
struct GridRow {
    // the row is at least max(0, gap_y.x + gap_y.y * w) away along y, where w is the distance in world units from the
    // lower border of the boid's cell to the boid; likewise along z
    vec2 gap_y;
    vec2 gap_z;
    uint cells;   // difference of cell ids from the boid's own row to this one, modulo 2^32
    uint unused;  // keeps pairs at multiples of eight bytes, so that a device can load each at once
};

// How the nine rows around a boid are cut to the sphere of the search radius, in columns.
struct Chords {
    float radius_squared;  // widened, as src/flock/grid.rs asks
    float slack;           // by which a half chord is lengthened
    float last_column;     // dims.x - 1
    GridRow rows[9];       // own row in the middle
};

// How positions are quantized, for a search that asks for it.
struct Quanta {
    vec3 per_unit;   // quanta in a world unit; on a torus, along each axis a multiple of 256 in a period
    float most;      // quanta from the grid's lower corner at which positions are clamped
    int near_bias;   // plus the squared distance of the quantized positions, in quanta: below zero for all neighbors
};

// The box that holds the flock.
struct World {
    vec3 center;
    vec3 half_size;
};

// Constants of the rules. A law reads those that its formulas use.
struct Rules {
    float separation_radius;
    float alignment_radius;
    float cohesion_radius;
    // within which a search looks: the largest of the three, unless the nearest few have no radius
    float search_radius;
    float separation_weight;
    float alignment_weight;
    float cohesion_weight;
    float target_weight;
    float wall_weight;
    float move_speed;     // world units per second, of laws with a constant speed
    float max_speed;      // world units per second
    float max_force;      // world units per second squared
    float turn_rate;      // 1/s: how fast a heading turns into the force
    float blend;          // share of the wanted velocity in the new one, at each step
    float cursor_distance;    // world units: beyond it the cursor attracts, within it repels
    float cursor_attraction;
    float cursor_repulsion;
    float own_weight;     // of a boid's own heading in alignment, as of a neighbor
};

// How boids turn, and how slow they may be: see manners.glsl.
struct Manners {
    uint bits;          // MANNER_ANGULAR, ...: for the host; kernels have them as a specialization constant
    uvec2 seed;         // of the random numbers
    float noise;        // angular: radians from side to side; vectorial: length of the random vector
    float noise_turns;  // in turns
    float noise_cap;    // 1 minus the cosine of half of it
    float cos_turn;     // of the largest turn in a step
    float sin_turn;
    float least_speed;  // world units per second
    float view;         // cosine of half the field of view, times its magnitude
    float felt_squared;  // of the distance within which others are perceived on all sides
    uint nearest;       // at most so many neighbors, 0 for no limit: for the host
};

// The squared radii of Rules, for comparison with squared distances.
struct SquaredRadii {
    float separation;
    float alignment;
    float cohesion;
    float search;
};

float largest(SquaredRadii squared) { return max(max(squared.separation, squared.alignment), squared.cohesion); }

// One stage of a bitonic sort.
struct BitonicStage {
    uint block;   // pairs in the blocks that are merged
    uint stride;  // places between two pairs that are compared, or 0 for the first stage, which mirrors
};

// Of many flocks that are stepped at once.
struct Parts {
    uint step;          // steps since the start
    uint bytes[PARTS];  // from the part of one flock to the next, of each array by binding
};

// Crowding of a set of cells.
struct Crowding {
    uint fullest;   // boids in the fullest of them
    float squares;  // sum of the squares of their counts
};

// A point that attracts, or repels where its strength is below 0.
struct Point {
    vec3 position;   // world units
    float reach;     // world units
    float strength;  // world units per second squared
};

// An obstacle: everything within `radius` of its core.
struct PackedObstacle {
    uint kind;      // OBSTACLE_SPHERE, ...
    vec3 position;  // world units: the middle of the core, or a place on a plane
    // box: from the middle to a corner; capsule: from the middle of its segment to an end; torus: axis, as long as the
    // circle's radius; plane: unit normal; mesh: cosine and sine of its turn about y, and its largest edge
    vec3 extent;
    float radius;   // world units
    float bound;    // world units: no place of it is farther from `position`; of a plane, beyond all lengths
    uint volume;    // mesh: where its volume begins in obstacle_volumes
};

// How a kind hunts another.
struct PackedHunt {
    uint prey;            // the kind that it hunts, or NO_KIND
    float sight_squared;  // of how far it sees its prey
    float chase;          // strength of the pull towards the nearest
    float reach;          // world units: how far it is feared
    float fear;           // world units per second squared, for its prey right beside it
    uint place;           // plus an identity, modulo 2^32: its place among the hunters that are feared
};

// Kinds of boids.
struct Kinds {
    // kinds that steering tells apart, 0 for none: for the host; kernels have it as a specialization constant
    uint count;
    uint hunters;  // that are feared
    uint ends[MAX_KINDS];                // the identity after the last of each
    // xyz: weights of separation, alignment and cohesion, of the row's kind for the column's
    vec4 felt[MAX_KINDS * MAX_KINDS];
    PackedHunt hunts[MAX_KINDS];
};

// The parameters of one simulation step.
struct StepParams {
    uint boid_count;
    uint step;           // steps since the start
    float time_step;     // seconds
    uint decision_steps;  // from one decision of a boid about its state to the next
    uint target_count;
    Grid grid;
    World world;
    uint walls;          // WALLS_NONE, ...: for the host; kernels have it as a specialization constant
    Rules rules;
    SquaredRadii squared_radii;
    Manners manners;
    Quanta quanta;       // this and chords are for the search that tests quantized positions first
    Chords chords;
    vec3 cursor;         // world units
    uint leader;         // identity of the leader; larger than all identities if there is none
    vec3 current;        // world units per second
    vec4 targets[MAX_TARGETS];  // xyz: position; w: radius of the sphere drawn there
    uint point_count;
    Point points[MAX_POINTS];
    float obstacle_distance;  // world units: how far ahead a boid sees an obstacle
    float obstacle_weight;
    float obstacle_gap;       // world units: the least distance at which rounding cannot put a boid inside
    uint obstacle_count;
    PackedObstacle obstacles[MAX_OBSTACLES];
    Kinds kinds;
};

#endif
