// Obstacles: solid shapes that boids steer around and do not enter. Include it after the parameters and vectors.glsl, and define MESHES
// (whether there are any) before it.
#ifndef OBSTACLES_GLSL
#define OBSTACLES_GLSL

#include "steering.glsl"
#include "surface.glsl"
#include "walls.glsl"

// The nearest surface within `limit` world units. Where there is none, its distance is the limit.
Surface nearest_surface(vec3 position, float limit) {
    Surface nearest = Surface(limit, vec3(1.0, 0.0, 0.0));
    for (uint k = 0u; k < params.obstacle_count; ++k) {
        if (may_be_nearer(params.obstacles[k], position, nearest.distance)) {
            Surface other = surface_of(params.obstacles[k], position);
            if (other.distance < nearest.distance) {
                nearest = other;
            }
        }
    }
    return nearest;
}

// World units around this invocation's boid, before the step, without an obstacle; or the sight, if that is less. Written by
// avoid_obstacles, read by meet_obstacles. Without an initial value: glslang 12 crashes at one where it writes debug information.
float free_at_start;

// The acceleration along and away from the surface that lies ahead within sight; the nearer, the stronger.
vec3 avoid_obstacles(vec3 position, vec3 velocity, float full_speed) {
    vec3 forward = direction_of(velocity);
    float free = 0.0;  // world units without an obstacle
    Surface ahead;
    for (uint look = 0u; look <= OBSTACLE_LOOKS; ++look) {
        ahead = nearest_surface(position + forward * free, params.obstacle_distance);
        free += max(ahead.distance, 0.0);
        if (look == 0u) {
            free_at_start = free;
        }
        if (free >= params.obstacle_distance) {
            return vec3(0.0);
        }
    }
    float urgency = max(1.0 - free / params.obstacle_distance, 0.0);
    vec3 along = forward - ahead.normal * min(dot(forward, ahead.normal), 0.0);
    return params.obstacle_weight * urgency * steer_along(along + ahead.normal * urgency, velocity, full_speed);
}

// The boid that was at `from` and is now `after`, where the walls have put it; `way` is the way that it took.
//
// The way is taken in parts, each as long as there is no obstacle about and `gap` less, so that no obstacle is passed through,
// however fast the boid. Where that ends, the boid stays for this step. Closer to a surface than twice the gap it is put that far
// away, and loses the part of its velocity towards the surface. The gap is a part of the way, or one that rounding cannot cross. So a boid
// that is outside before a step is outside after it. One that is inside, because it started there or an obstacle was moved, is put
// outside where that takes no more than OBSTACLE_PUSHES. One whom a wall brings back on the other side, inside, turns around.
Boid meet_obstacles(vec3 from, vec3 way, Boid after) {
    vec3 path = after.position - from;
    bool jumps = false;
    if (WALLS == WALLS_WRAP) {
        jumps = any(greaterThan(abs(path - way), params.world.half_size));
    }
    vec3 start = jumps ? after.position : from;
    float most = jumps ? 0.0 : length(path);
    float rounding = 4e-6 * max(max(abs(start.x), abs(start.y)), abs(start.z));
    float gap = max(max(most / float(OBSTACLE_PARTS), rounding), params.obstacle_gap);
    if (!jumps && free_at_start > most + 2.0 * gap) {
        return after;
    }
    vec3 forward = direction_of(path);
    float gone = 0.0;
    Surface near;
    for (uint part = 0u;; ++part) {
        near = nearest_surface(start + forward * gone, most + 4.0 * gap);
        if (part == 0u && near.distance > most + 2.0 * gap) {
            return after;
        }
        if (part == OBSTACLE_PARTS || gone >= most) {
            break;
        }
        gone = min(gone + max(near.distance - gap, 0.0), most);
    }
    Boid met = Boid(gone < most ? start + forward * gone : after.position, after.velocity);
    for (uint push = 0u; push < OBSTACLE_PUSHES && near.distance < 2.0 * gap; ++push) {
        met.velocity -= near.normal * min(dot(met.velocity, near.normal), 0.0);
        vec3 aside = met.position + near.normal * (2.0 * gap - near.distance);
        Surface there = nearest_surface(aside, 4.0 * gap);
        if (there.distance > near.distance) {
            met.position = aside;
            near = there;
        }
    }
    if (near.distance < 0.0) {
        return Boid(from, -after.velocity);
    }
    return met;
}

#endif
