// How a boid's mesh is turned, bent and placed. Include scene.glsl, camera.glsl, grid.glsl and coloring.glsl first.
#ifndef POSE_GLSL
#define POSE_GLSL

// For `cull`, which says why its loops are not unrolled.
#extension GL_EXT_control_flow_attributes : require

struct Pose {
    vec3 center;    // world units
    mat3 basis;     // right, up, back: unit vectors
    float size;     // world units of the mesh's unit
    uint bits;      // the boid's hash
    uint state;     // number of the boid's state, if it has one
    uint kind;
    float weights[CLIPS];  // how much of each clip
};

const uint SHARES_OF_BIRDS[][CLIPS] = uint[][CLIPS](BIRD_SHARES);  // for each state, in hundredths
const uint SWIM_OF_FISH[] = uint[](FISH_SWIMS);

// How much of each clip a boid with this word shows: that of its state, into which that of the state before has turned.
// `effort` is the share of the full speed. Without states, birds take turns between bursts of beats and short glides.
float[CLIPS] clip_weights(float effort, uint bits, uint behavior) {
    float weights[CLIPS];
    [[dont_unroll]] for (uint clip = 0u; clip < CLIPS; ++clip) {
        weights[clip] = 0.0;
    }
    uint now = behavior & 15u;
    uint before = behavior >> 4u & 15u;
    float turned = 1.0;
    if (BEHAVES != 0u) {
        float seconds = float((scene.step - (behavior >> 8u)) & 0xffffffu) * scene.time_step + scene.extrapolate;
        turned = smoothstep(0.0, float(BLEND) * 0.001, seconds);
    }
    if (POSE == POSE_RIGID) {
        weights[0] = 1.0;
    } else if (POSE == POSE_FISH) {
        float swim = 0.45;
        if (BEHAVES != 0u) {
            swim = 0.01 * mix(float(SWIM_OF_FISH[before]), float(SWIM_OF_FISH[now]), turned);
        }
        // Faster fish bend farther.
        weights[CLIP_SWIM] = swim * (0.25 + 0.75 * effort);
        weights[CLIP_REST] = 1.0 - weights[CLIP_SWIM];
    } else if (BEHAVES != 0u) {
        [[dont_unroll]] for (uint clip = 0u; clip < CLIPS; ++clip) {
            weights[clip] = 0.01 * mix(float(SHARES_OF_BIRDS[before][clip]), float(SHARES_OF_BIRDS[now][clip]), turned);
        }
    } else {
        float own = unit_float(hash(bits));
        weights[CLIP_FLAP] = smoothstep(-0.5, 0.3, sin(scene.time * (1.3 + 0.5 * own) + 40.0 * own));
        weights[CLIP_GLIDE] = 1.0 - weights[CLIP_FLAP];
    }
    return weights;
}

// The row of the frames at which a boid is in a clip, and the share of the row after it: each boid has a rate and a
// phase of its own. A clip that stands for another one has its rows, and so its phase.
float clip_row(uint clip, uint bits) {
    Clip it = scene.clips[clip];
    float own = unit_float(hash(bits + uint(it.first)));
    float loops = scene.time * it.rate * (1.0 + it.vary * (own - 0.5)) + 7.0 * own;
    return it.first + it.frames * fract(loops);
}

// The pose of a boid at `position` after the last step. It is extrapolated by the time since then, so that motion is
// smooth at any display rate.
Pose pose_of(vec3 position, vec3 velocity, uint id, uint behavior) {
    uint bits = hash(id);
    Pose pose;
    pose.kind = kind_of(id);
    pose.state = behavior & 15u;
    pose.bits = bits;
    pose.weights = clip_weights(min(length(velocity) / scene.full_speed, 1.0), bits, behavior);
    float aloft = 1.0;
    if (BEHAVES != 0u) {
        if (POSE == POSE_BIRD) {
            // One that sits stays.
            aloft = 1.0 - pose.weights[CLIP_PERCH];
        }
    }
    pose.center = position + velocity * (scene.extrapolate * aloft);
    pose.basis = flight_basis(velocity);
    pose.size = length_of(pose.kind);
    if (POSE == POSE_BIRD) {
        // A small individual roll makes boids with equal headings look different.
        float roll = aloft * 0.45 * sin(scene.time * (0.7 + unit_float(hash(hash(bits)))) + TAU * unit_float(bits));
        vec3 right = pose.basis[0];
        vec3 up = pose.basis[1];
        pose.basis[0] = cos(roll) * right + sin(roll) * up;
        pose.basis[1] = cos(roll) * up - sin(roll) * right;
    }
    if (COLORING == COLORING_CELL && cell_color(position) != vec3(0.0)) {
        // Highlighted boids are larger, and in front of the others: see clip_of.
        pose.size *= 2.0;
    }
    return pose;
}

// A place of the mesh, in lengths of a boid, in the world.
vec3 posed(Pose pose, vec3 place) { return pose.center + pose.basis * (place * scene.boid_scale) * pose.size; }

// The albedo of a boid, before what its mesh or texture adds. `value` is what its color shows, if that is not its
// state.
vec3 tint_of(Pose pose, vec3 position, vec3 velocity, float value) {
    if (COLORING == COLORING_NEIGHBORS) {
        return ramp_of(value);
    }
    if (COLORING == COLORING_STATE) {
        // As palette::of_state.
        uint first = pose.state < STATE_CRUISE ? 0u : STATE_CRUISE;
        uint count = pose.state < STATE_CRUISE ? STATE_CRUISE : STATE_REST + 1u - STATE_CRUISE;
        return ramp(float(pose.state - first) / float(count));
    }
    if (COLORING == COLORING_KIND) {
        return scene.ramp[pose.kind];
    }
    if (COLORING != COLORING_NATURAL) {
        return color_of(position, velocity, pose.bits);
    }
    if (COLORS != COLORS_PLAIN) {
        return vec3(0.75 + 0.45 * unit_float(hash(pose.bits + 3u)));
    }
    uint bits = hash(pose.bits);
    vec3 across = normalize(cross(scene.palette.sun_direction, vec3(0.0, 1.0, 0.0)) + vec3(1e-6, 0.0, 0.0));
    float lean = 0.5 + 0.5 * dot(-pose.basis[2], across);
    float accent = 0.8 * smoothstep(0.2, 1.0, lean) + 0.3 * unit_float(bits);
    vec3 albedo = mix(scene.palette.boid, scene.palette.boid_accent, min(accent, 1.0));
    return albedo * (0.7 + 0.5 * unit_float(hash(bits + 1u)));
}

// A point of a boid in clip space. Boids in highlighted cells are in front of all others.
vec4 clip_of(vec3 world, vec3 tint) {
    vec4 clip = scene.view_projection * vec4(world, 1.0);
    if (COLORING == COLORING_CELL) {
        clip.z = 0.5 * (clip.z + (tint != vec3(0.0) ? clip.w : 0.0));
    }
    return clip;
}

#endif
