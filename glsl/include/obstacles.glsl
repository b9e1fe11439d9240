// Obstacles: solid shapes that boids steer around and do not enter. Include it after the parameters and vectors.glsl,
// and define MESHES (whether there are any) before it.
#ifndef OBSTACLES_GLSL
#define OBSTACLES_GLSL

#ifndef FOR_STEPPING
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#endif

#include "non_finite.glsl"
#include "steering.glsl"
#include "surface.glsl"
#include "walls.glsl"

// A bit for each obstacle. The same in all invocations of a subgroup.
struct Set {
    uint first;  // obstacles 0 to 31
    uint last;
};

Set all_obstacles() {
    uint count = params.obstacle_count;
    return Set(bitfieldInsert(0u, ~0u, 0, int(min(count, 32u))),
        bitfieldInsert(0u, ~0u, 0, int(max(count, 32u) - 32u)));
}

// The distance to the nearest surface of these obstacles within `limit` world units, or the limit; and `which` it is
// of.
float nearest_distance(Set of, vec3 position, float limit, out uint which) {
    float nearest = limit;
    which = 0u;
    while ((of.first | of.last) != 0u) {
        bool is_first = of.first != 0u;
        uint bits = is_first ? of.first : of.last;
        uint k = uint(findLSB(bits)) + (is_first ? 0u : 32u);
        bits &= bits - 1u;
        of = is_first ? Set(bits, of.last) : Set(0u, bits);
        if (may_be_nearer(params.obstacles[k], position, nearest)) {
            float other = surface_of(params.obstacles[k], position).distance;
            which = other < nearest ? k : which;
            nearest = min(nearest, other);
        }
    }
    return nearest;
}

// The nearest surface within `limit` world units. Where there is none, its distance is the limit.
Surface nearest_surface(vec3 position, float limit) {
    uint which;
    float nearest = nearest_distance(all_obstacles(), position, limit, which);
    return nearest < limit ? surface_of(params.obstacles[which], position) : Surface(limit, vec3(1.0, 0.0, 0.0));
}

#ifdef FOR_STEPPING
// RenderDoc does not step through subgroup operations. Obstacles out of sight change no result.
Set obstacles_in_sight(vec3 position) {
    return all_obstacles();
}
#else
// The obstacles that may be within sight of a boid of this subgroup: none for most, because boids of a subgroup are
// close together where the flock is in cell order. Each invocation looks at a few, from the first boid.
Set obstacles_in_sight(vec3 position) {
    vec3 center = subgroupBroadcastFirst(position);
    vec3 offset = position - center;
    // Numbers from 0 on are in the order of their bits, and the maximum of integers is one instruction on some devices.
    float spread = sqrt(uintBitsToFloat(subgroupMax(floatBitsToUint(dot(offset, offset)))));
    // A thousandth more than needed, for rounding.
    float sight = 1.001 * (params.obstacle_distance + spread);
    Set seen = Set(0u, 0u);
    uvec4 here = subgroupBallot(true);
    for (uint k = subgroupBallotExclusiveBitCount(here); k < params.obstacle_count; k += subgroupBallotBitCount(here)) {
        uint bit = may_be_nearer(params.obstacles[k], center, sight) ? 1u << (k & 31u) : 0u;
        seen.first |= k < 32u ? bit : 0u;
        seen.last |= k < 32u ? 0u : bit;
    }
    return Set(subgroupOr(seen.first), subgroupOr(seen.last));
}
#endif

// World units around this invocation's boid, before the step, without an obstacle; or the sight, if that is less.
// Written by avoid_obstacles, read by meet_obstacles. Without an initial value: glslang 12 crashes at one where it
// writes debug information.
float free_at_start;
// The obstacles that may be in sight of it.
Set in_sight;

// The acceleration along and away from the surface that lies ahead within sight; the nearer, the stronger.
vec3 avoid_obstacles(vec3 position, vec3 velocity, float full_speed) {
    free_at_start = params.obstacle_distance;
    in_sight = Set(0u, 0u);
    // Lost boids are out of sight of all, and too far from the others of their subgroup.
    if (is_far(position) || !is_finite(position)) {
        return vec3(0.0);
    }
    in_sight = obstacles_in_sight(position);
    if ((in_sight.first | in_sight.last) == 0u) {
        return vec3(0.0);
    }
    vec3 forward = direction_of(velocity);
    float free = 0.0;  // world units without an obstacle
    vec3 ahead;
    uint which;
    for (uint look = 0u; look <= OBSTACLE_LOOKS; ++look) {
        ahead = position + forward * free;
        free += max(nearest_distance(in_sight, ahead, params.obstacle_distance, which), 0.0);
        if (look == 0u) {
            free_at_start = free;
        }
        if (free >= params.obstacle_distance) {
            return vec3(0.0);
        }
    }
    vec3 normal = surface_of(params.obstacles[which], ahead).normal;
    float urgency = max(1.0 - free / params.obstacle_distance, 0.0);
    vec3 along = forward - normal * min(dot(forward, normal), 0.0);
    return params.obstacle_weight * urgency * steer_along(along + normal * urgency, velocity, full_speed);
}

// The least gap to a surface that rounding cannot cross, in world units, for a boid here.
float least_gap(vec3 position) {
    return max(4e-6 * max(max(abs(position.x), abs(position.y)), abs(position.z)), params.obstacle_gap);
}

// The boid that was at `from` and is now `after`, where the walls have put it; `way` is the way that it took.
//
// The way is taken in parts, each as long as there is no obstacle about and `gap` less, so that no obstacle is passed
// through, however fast the boid. Where that ends, the boid stays for this step. Closer to a surface than twice the gap
// it is put that far away, and loses the part of its velocity towards the surface. The gap is a part of the way, or one
// that rounding cannot cross. Where OBSTACLE_PUSHES do not bring it out, or only so little that rounding decides, it
// stays where it was and turns around: a wall may have brought it back on the other side, inside. So a boid that is
// outside before a step is outside after it. One that is inside, because it started there or an obstacle was moved,
// comes as far out as the pushes bring it.
Boid meet_obstacles(vec3 from, vec3 way, Boid after) {
    vec3 path = after.position - from;
    bool jumps = false;
    if (WALLS == WALLS_WRAP) {
        jumps = any(greaterThan(abs(path - way), params.world.half_size));
    }
    vec3 start = jumps ? after.position : from;
    float most = jumps ? 0.0 : length(path);
    float gap = max(most / float(OBSTACLE_PARTS), least_gap(start));
    if (!jumps && free_at_start > most + 2.0 * gap) {
        return after;
    }
    vec3 forward = direction_of(path);
    float gone = 0.0;
    Boid met = Boid(start, after.velocity);
    // A slow boid meets only what was in sight.
    bool is_slow = !jumps && 2.0 * most + 12.0 * gap <= params.obstacle_distance;
    Set about = all_obstacles();
    if (is_slow) {
        about = in_sight;
    }
    float near;
    // The least gap is computed again where it is needed, and a count of parts that cannot be says that the boid was
    // inside: with two more registers through this loop a step among meshes took up to 9 % longer on an NVIDIA H200.
    const uint was_inside = OBSTACLE_PARTS + 1u;
    uint parts = jumps ? OBSTACLE_PARTS : 0u;
    uint pushes = 0u;
    // One look for both, parts and pushes: its code is long, and each copy of it costs registers.
    for (vec3 at = start;;) {
        uint which;
        float here = nearest_distance(about, at, most + 4.0 * gap, which);
        if (pushes == 0u) {
            near = here;
            if (parts == 0u) {
                if (near > most + 2.0 * gap) {
                    return after;
                }
                parts = near < -0.5 * least_gap(at) ? was_inside : 0u;
            }
            if (parts < OBSTACLE_PARTS && gone < most) {
                parts += 1u;
                gone = min(gone + max(near - gap, 0.0), most);
                at = start + forward * gone;
                continue;
            }
            met.position = gone < most ? at : after.position;
        } else if (here > near) {
            near = here;
            met.position = at;
        } else {
            break;
        }
        if (pushes == OBSTACLE_PUSHES || near >= 2.0 * gap) {
            break;
        }
        pushes += 1u;
        vec3 normal = surface_of(params.obstacles[which], met.position).normal;
        met.velocity -= normal * min(dot(met.velocity, normal), 0.0);
        at = met.position + normal * (2.0 * gap - near);
    }
    if (near < 0.5 * least_gap(met.position) && parts != was_inside) {
        return Boid(from, -after.velocity);
    }
    return met;
}

#endif
