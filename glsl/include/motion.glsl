// How a boid moves, under any law. Include it after the parameters and the arrays of the flock.
//
// A law computes what a boid wants, and the type of the result selects how the step is taken:
//
//   Force f       v' = limit(v + (f + a) · dt, max_speed)     p' = p + v' · dt
//   Velocity u    v' = limit(u + a · dt, max_speed)           p' = p + v' · dt
//   Heading h     h' = direction of h · s + a · dt            p' = p + h' · s · dt      s = move_speed
//
// a is the sum of the influences that are switched on:
//
//   targets       w.target  · steer_along(nearest target - p)
//   leader        w.leader  · steer_along(leader - p)
//   current       w.current · limit(current - v, max_force)
//   points        sum of strength · (1 - d / reach) · (point - p) / d, over the points at a distance d < reach
//   obstacles     obstacle_weight · avoid_obstacles(p, v)
//   walls         wall_weight · wall_push(p)                  where the walls push
//
// p and v are the boid's position and velocity before the step, and the leader's position is from before the step too; for
// laws that store a heading, v is the heading times s. w are the boid's weights. steer_along aims at full speed, max_speed or s.
// If a is zero or there is no direction, h' is h. Then the walls are applied, once, and then the obstacles, which no boid enters.
//
// A boid whose state would not be finite is lost: it is put at (FAR, FAR, FAR), at rest, from where it touches nobody. Walls that
// bounce or wrap bring it back in the next step. A lost leader has no followers.
//
// A new influence is a line of this table, a bit, and a line of `acceleration`.
#ifndef MOTION_GLSL
#define MOTION_GLSL

// A bit for each influence that is switched on, except the walls. A constant, so that the compiler removes the code of
// others.
layout(constant_id = 2) const uint INFLUENCES = 0u;

#include "lost.glsl"
#define MESHES (INFLUENCES & INFLUENCE_MESHES) != 0u
#include "obstacles.glsl"
#include "steering.glsl"
#include "targets.glsl"
#include "walls.glsl"

// In two steps: some tools that read SPIR-V do not support logical operations on specialization constants.
bool influenced() {
    if (INFLUENCES != 0u) {
        return true;
    }
    return WALLS == WALLS_PUSH;
}

// MovementWeights of src/flock/layout.rs, by identity: three numbers a boid, of which only the needed ones are read.
readonly FLOCK_ARRAY(BINDING_MOVEMENT_WEIGHTS, Weights, movement_weights, float, 4);
const uint TARGET_WEIGHT = 0u;
const uint LEADER_WEIGHT = 1u;
const uint CURRENT_WEIGHT = 2u;

layout(set = 0, binding = BINDING_LEADER_POSITION, scalar) readonly buffer LeaderPosition { vec4 leader_position; };  // before the step

struct Force {
    vec3 force;  // world units per second squared
};

struct Velocity {
    vec3 velocity;  // world units per second
};

struct Heading {
    vec3 heading;  // a unit vector
};

// The boid, or where it is when it is lost.
Boid contained(Boid boid) {
    bool kept = is_finite(boid.position) && is_finite(boid.velocity);
    return kept ? boid : Boid(vec3(FAR), vec3(0.0));
}

// The sum of the influences on the boid of this invocation, which is at `position`.
vec3 acceleration(vec3 position, vec3 velocity, float full_speed) {
    vec3 sum = params.rules.wall_weight * wall_push(position);
    if (INFLUENCES == 0u) {
        return sum;
    }
    uint weights = 3u * AT(sorted_boid_id, self_place);
    if ((INFLUENCES & INFLUENCE_TARGETS) != 0u) {
        sum += AT(movement_weights, weights + TARGET_WEIGHT) * steer_along(nearest_target(position), velocity, full_speed);
    }
    if ((INFLUENCES & INFLUENCE_LEADER) != 0u) {
        vec3 to_leader = leader_position.x < FAR ? leader_position.xyz - position : vec3(0.0);
        sum += AT(movement_weights, weights + LEADER_WEIGHT) * steer_along(to_leader, velocity, full_speed);
    }
    if ((INFLUENCES & INFLUENCE_CURRENT) != 0u) {
        sum += AT(movement_weights, weights + CURRENT_WEIGHT) * limit(params.current - velocity, params.rules.max_force);
    }
    if ((INFLUENCES & INFLUENCE_POINTS) != 0u) {
        for (uint k = 0u; k < params.point_count; ++k) {
            Point point = params.points[k];
            vec3 to_point = point.position - position;
            sum += point.strength * max(1.0 - length(to_point) / point.reach, 0.0) * direction_of(to_point);
        }
    }
    if ((INFLUENCES & INFLUENCE_OBSTACLES) != 0u) {
        sum += avoid_obstacles(position, velocity, full_speed);
    }
    return sum;
}

// The boid, whose velocity is the new one, after its way.
Boid went(Boid boid, vec3 way) {
    Boid met = meet_walls(boid, way);
    if ((INFLUENCES & INFLUENCE_OBSTACLES) != 0u) {
        return meet_obstacles(boid.position, way, met);
    }
    return met;
}

Boid move(Boid self, Force wanted) {
    vec3 force = wanted.force;
    if (influenced()) {
        force += acceleration(self.position, self.velocity, params.rules.max_speed);
    }
    vec3 velocity = limit(self.velocity + force * params.time_step, params.rules.max_speed);
    return went(Boid(self.position, velocity), velocity * params.time_step);
}

Boid move(Boid self, Velocity wanted) {
    vec3 velocity = wanted.velocity;
    if (influenced()) {
        velocity += acceleration(self.position, self.velocity, params.rules.max_speed) * params.time_step;
    }
    velocity = limit(velocity, params.rules.max_speed);
    return went(Boid(self.position, velocity), velocity * params.time_step);
}

Boid move(Boid self, Heading wanted) {
    vec3 heading = wanted.heading;
    float speed = params.rules.move_speed;
    if (influenced()) {
        vec3 change = acceleration(self.position, self.velocity * speed, speed) * params.time_step;
        vec3 turned = direction_of(heading * speed + change);
        heading = change == vec3(0.0) || turned == vec3(0.0) ? heading : turned;
    }
    Boid met = went(Boid(self.position, heading), heading * speed * params.time_step);
    if ((INFLUENCES & INFLUENCE_OBSTACLES) != 0u) {
        vec3 turned = direction_of(met.velocity);
        met.velocity = turned == vec3(0.0) ? -heading : turned;
    }
    return met;
}

#endif
