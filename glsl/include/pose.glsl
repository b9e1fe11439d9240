// How a boid's mesh is turned, bent and placed. Include scene.glsl, camera.glsl, grid.glsl and coloring.glsl first.
#ifndef POSE_GLSL
#define POSE_GLSL

const float SHOULDER = 0.06;  // distance of a wing's joint from the middle, in lengths of the boid

struct Pose {
    vec3 center;   // world units
    mat3 basis;    // right, up, back: unit vectors
    float size;    // world units of the mesh's unit
    float effort;  // share of the full speed
    uint bits;     // the boid's hash
    uint state;    // number of the boid's state, if it has one
    vec3 posture;  // how far the wings beat, how far they are folded, and how far the tail swings
};

const uvec3 POSTURE_ROWS[] = uvec3[](POSTURES);  // of each state, in hundredths
const float FOLDED = -0.3;                       // angle of a folded wing, in radians
const float SPAN_FOLDED = 0.2;                   // how far it reaches from its shoulder, as a share of the span

// The posture of a boid with this word: that of its state, into which that of the state before has turned.
vec3 posture_of(uint behavior) {
    if (BEHAVES == 0u) {
        return vec3(1.0, 0.0, 1.0);
    }
    vec3 now = vec3(POSTURE_ROWS[behavior & 15u]);
    vec3 before = vec3(POSTURE_ROWS[behavior >> 4u & 15u]);
    float seconds = float((scene.step - (behavior >> 8u)) & 0xffffffu) * scene.time_step + scene.extrapolate;
    return 0.01 * mix(before, now, smoothstep(0.0, float(BLEND) * 0.001, seconds));
}

// The pose of a boid at `position` after the last step. It is extrapolated by the time since then, so that motion is smooth
// at any display rate.
Pose pose_of(vec3 position, vec3 velocity, uint bits, uint behavior) {
    Pose pose;
    pose.state = behavior & 15u;
    pose.posture = posture_of(behavior);
    // One that perches stays.
    pose.center = position + velocity * (scene.extrapolate * (1.0 - min(pose.posture.y, 1.0)));
    pose.basis = flight_basis(velocity);
    pose.size = scene.boid_length;
    pose.effort = min(length(velocity) / scene.full_speed, 1.0);
    pose.bits = bits;
    if (POSE == POSE_BIRD) {
        // A small individual roll makes boids with equal headings look different.
        float roll = 0.45 * sin(scene.time * (0.7 + unit_float(hash(hash(bits)))) + TAU * unit_float(bits));
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

// Wing angle in radians, with a phase of each boid's own: as its state says, or bursts of beats and short glides.
float wingbeat(uint bits, float lag, vec3 posture) {
    float own = unit_float(bits);
    float beat = sin(scene.time * (17.0 + 5.0 * own) + TAU * own * 7.0 - lag);
    if (BEHAVES != 0u) {
        return mix(mix(0.10, 0.12 + 0.55 * beat, posture.x), FOLDED, posture.y);
    }
    float burst = smoothstep(-0.5, 0.3, sin(scene.time * (1.3 + 0.5 * own) + 40.0 * own));
    return mix(0.10, 0.12 + 0.55 * beat, burst);
}

// Sideways offset of a fish's body at `along` (0 at the nose, 1 at the tail), and how it changes along it: a wave of growing
// amplitude from head to tail, larger for faster fish and by the factor `more`. The wave's frequency is constant for each fish:
// multiplied by the total time, a small change of it would make the wave jump.
vec2 swim(float along, float effort, uint bits, float more) {
    float own = unit_float(bits);
    float phase = scene.time * (9.0 + 5.0 * own) + TAU * unit_float(hash(bits)) - 5.5 * along;
    float swing = more * (0.025 + 0.075 * effort) * (0.2 * along + along * along);
    float growth = more * (0.025 + 0.075 * effort) * (0.2 + 2.0 * along);
    return vec2(swing * sin(phase), growth * sin(phase) - 5.5 * swing * cos(phase));
}

// A vertex of the mesh in the world, in world units. `normal` is turned with it, and is not a unit vector then. `wing` is how far
// the vertex follows the wingbeat.
vec3 posed(Pose pose, vec3 place, float wing, inout vec3 normal) {
    vec3 position = place * scene.boid_scale;
    normal /= scene.boid_scale;
    if (POSE == POSE_BIRD && wing > 0.0) {
        // The wing turns about its shoulder, the tip later and farther than the wrist.
        float side = sign(position.x);
        float angle = wing * wingbeat(hash(pose.bits), 0.7 * wing, pose.posture);
        float c = cos(angle);
        float s = sin(angle) * side;
        position.x -= SHOULDER * side;
        if (BEHAVES != 0u) {
            position.x *= mix(1.0, SPAN_FOLDED, pose.posture.y);
        }
        position.xy = vec2(c * position.x - s * position.y, s * position.x + c * position.y);
        position.x += SHOULDER * side;
        normal.xy = vec2(c * normal.x - s * normal.y, s * normal.x + c * normal.y);
    }
    if (POSE == POSE_FISH) {
        vec2 bend = swim(place.z + 0.5, pose.effort, hash(pose.bits + 5u), pose.posture.z);
        position.x += bend.x;
        normal.z -= bend.y * normal.x;
    }
    normal = pose.basis * normal;
    return pose.center + pose.basis * position * pose.size;
}

// The albedo of a boid, before what its mesh or texture adds. `value` is what its color shows, if that is not its state.
vec3 tint_of(Pose pose, vec3 position, vec3 velocity, float value) {
    if (COLORING == COLORING_NEIGHBORS) {
        return ramp_of(value);
    }
    if (COLORING == COLORING_STATE) {
        return ramp(float(pose.state) * 0.1);
    }
    if (COLORING != COLORING_NATURAL) {
        return color_of(position, velocity, pose.bits);
    }
    if (POSE == POSE_FISH) {
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
