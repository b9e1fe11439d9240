#version 460
// transition: changes the state of each boid, and holds those that perch. src/transitions.rs has the table.
//
// in         sorted_position_vx, sorted_velocity_yz   the flock before the step
//            boid_id
//            obstacle_volumes                         where birds may perch on meshes
// inout      behavior                                 by identity: state, state before it, step of the last transition
//            position_vx, velocity_yz                 as steer left them; written only for boids that perch or leave an
//                                                     obstacle, and only by the build for birds among
//                                                     obstacles, transition_perching
// invariant  each invocation accesses the word of its own boid only: identities are a permutation
// invariant  runs in steps in which boids decide, and transition_perching in all
// cost       64 B a boid; for birds with obstacles, a distance to each obstacle near by
//
// Conditions are computed by correctly rounded operations alone (`precise`: additions, products and comparisons), so
// that the twin decides as this kernel does. Only the nearest surface takes others.
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "boid.glsl"
#include "vectors.glsl"
#include "hash.glsl"

// Constants of src/flock/states.rs.
layout(constant_id = 0) const uint SEED = 0u;
layout(constant_id = 2) const uint CURSOR_REPELS = 0u;
layout(constant_id = 3) const uint HEADINGS = 0u;
layout(constant_id = 4) const uint MEETS_MESHES = 0u;

#ifdef PERCHING
#define PLACED
#else
#define PLACED readonly
#endif

#include "params.glsl"
PLACED FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
PLACED FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_SORTED_VELOCITY_YZ, SortedVelocityYz, sorted_velocity_yz, vec2, 8);
layout(set = 0, binding = BINDING_BEHAVIOR, scalar) buffer Behaviors { uint behavior[]; };

#include "torus.glsl"

#ifdef PERCHING
#define MESHES MEETS_MESHES != 0u
#include "obstacles.glsl"
#endif

const uvec4 ROWS[] = uvec4[](TRANSITIONS);  // from (a bit for each state), to, conditions, thousandths per second
const uint LEAST_STAY[] = uint[](LEAST);    // milliseconds

float squared(vec3 v) {
    precise float sum = v.x * v.x + v.y * v.y + v.z * v.z;
    return sum;
}

bool threatened(vec3 position) {
    for (uint k = 0u; k < params.point_count; ++k) {
        Point point = params.points[k];
        precise vec3 offset = way_to(point.position, position);
        precise float reach = point.reach * point.reach;
        if (point.strength < 0.0 && squared(offset) < reach) {
            return true;
        }
    }
    if (CURSOR_REPELS != 0u) {
        precise vec3 offset = way_to(params.cursor, position);
        precise float reach = params.rules.cursor_distance * params.rules.cursor_distance;
        return squared(offset) < reach;
    }
    return false;
}

// The WHEN_ bits of how the boid flies.
uint flight(vec3 before, vec3 after) {
    precise float length_squared = squared(after);
    precise float up = after.y * after.y;
    // Squares of the sines of 10, 5, 20 and 8 degrees.
    precise vec4 sines = length_squared * vec4(0.030154, 0.007596, 0.116978, 0.019369);
    uint met = 0u;
    met |= after.y > 0.0 && up > sines.x ? WHEN_CLIMBING : 0u;
    met |= after.y <= 0.0 || up < sines.y ? WHEN_LEVEL : 0u;
    met |= after.y < 0.0 && up > sines.z ? WHEN_SINKING : 0u;
    met |= after.y >= 0.0 || up < sines.w ? WHEN_RISING : 0u;
    precise vec3 turned = vec3(
        before.y * after.z - before.z * after.y,
        before.z * after.x - before.x * after.z,
        before.x * after.y - before.y * after.x
    );
    precise float sine = min(float(TURN) * 0.001 * params.time_step, 1.0);
    precise float most = sine * sine * (squared(before) * length_squared);
    precise float least = most * 0.25;
    precise float turn = squared(turned);
    met |= turn > most ? WHEN_TURNING : 0u;
    met |= turn <= least ? WHEN_STRAIGHT : 0u;
    met |= turned.y > 0.0 ? WHEN_LEFT : WHEN_RIGHT;
    return met;
}

// The largest speed, in units of the velocity slot.
float full_speed() { return HEADINGS != 0u ? 1.0 : params.rules.max_speed; }

#ifdef PERCHING
// The boid, which was `before` the step and is in state `next` after it, where it perches or leaves an obstacle.
Boid held(Boid before, uint next, Surface below, bool supported) {
    vec3 forward = direction_of(vec3(before.velocity.x, 0.0, before.velocity.z));
    if (forward == vec3(0.0)) {
        forward = vec3(0.0, 0.0, -1.0);
    }
    if (next != STATE_PERCH) {
        float speed = HEADINGS != 0u ? 1.0 : full_speed() * float(LAUNCH_SPEED) * 0.001;
        return Boid(before.position, direction_of(forward + vec3(0.0, 1.0, 0.0)) * speed);
    }
    float height = float(PERCH_HEIGHT) * 0.001 * params.rules.separation_radius + 2.0 * params.obstacle_gap;
    float world_speed = HEADINGS != 0u ? params.rules.move_speed : params.rules.max_speed;
    float most = world_speed * float(LANDING_SPEED) * 0.001 * params.time_step;
    // Rounding of the distance would let it sink by a last digit for many steps.
    float over = below.distance - height;
    float down = supported && over > params.obstacle_gap ? min(over, most) : 0.0;
    float speed = HEADINGS != 0u ? 1.0 : full_speed() * float(PERCH_SPEED) * 0.001;
    return Boid(before.position - below.normal * down, forward * speed);
}
#endif

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    uint id = AT(boid_id, i);
    uint word = behavior[id];
    uint state = word & 15u;
    Boid before = unpack_boid(AT(sorted_position_vx, i), AT(sorted_velocity_yz, i));
    vec3 after = vec3(AT(position_vx, i).w, AT(velocity_yz, i));

    bool decides = params.step % params.decision_steps == 0u;
    if (!decides && state != STATE_PERCH) {
        return;
    }
    uint met = flight(before.velocity, after) | (threatened(before.position) ? WHEN_THREATENED : WHEN_SAFE);
#ifdef PERCHING
    float reach = params.obstacle_distance * (float(PERCH_REACH) * 0.001);
    Surface below = nearest_surface(before.position, reach);
    bool near = below.distance >= 0.0 && below.distance < reach;
    bool supported = near && below.normal.y > 0.5;
    float approach = -dot(before.velocity, below.normal);
    met |= supported && below.normal.y > 0.8 && approach < 0.5 * full_speed() ? WHEN_LANDABLE : 0u;
    met |= supported ? 0u : WHEN_UNSUPPORTED;
#endif

    uint now = params.step + 1u;
    uint next = state;
    precise float stayed = float((now - (word >> 8u)) & 0xffffffu) * params.time_step * 1000.0;
    if (decides && stayed >= float(LEAST_STAY[state])) {
        uint bits = hash(hash(SEED + id) + now);
        for (uint k = 0u; k < ROWS.length(); ++k) {
            uvec4 row = ROWS[k];
            // The product of rate and time since the last decision, of 2^32.
            precise float chance = float(row.w) * (params.time_step * float(params.decision_steps) * 4294967.5);
            bool drawn = hash(bits + k) < uint(min(chance, 4294967040.0));
            if ((row.x >> state & 1u) != 0u && (met & row.z) == row.z && drawn) {
                next = row.y;
                break;
            }
        }
    }
    if (next != state) {
        behavior[id] = next | state << 4u | now << 8u;
    }
#ifdef PERCHING
    if (state == STATE_PERCH || next == STATE_PERCH) {
        Boid put = held(before, next, below, supported);
        AT(position_vx, i) = vec4(put.position, put.velocity.x);
        AT(velocity_yz, i) = put.velocity.yz;
    }
#endif
}
