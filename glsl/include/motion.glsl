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
//   prey          chase · steer_along(nearest prey within sight - p)                                   of a hunter
//   hunters       sum of -fear · (1 - d / reach) · (hunter - p) / d, over the hunters at a distance d < reach   of prey
//   obstacles     obstacle_weight · avoid_obstacles(p, v)
//   walls         wall_weight · wall_push(p)                  where the walls push
//
// p and v are the boid's position and velocity before the step, and the leader's position is from before the step too;
// for laws that store a heading, v is the heading times s. w are the boid's weights. steer_along aims at full speed,
// max_speed or s. max_speed, min_speed and s are times the boid's own factor, where boids have one; laws that store a
// heading then store it times this factor. If a is zero or there is no direction, h' is h. manners.glsl then turns v'
// or h' and bounds the speed from below. Then the walls are applied, once, and then the obstacles, which no boid
// enters.
//
// A boid whose state would not be finite is put at (FAR, FAR, FAR), at rest, from where it touches nobody. Walls that
// bounce or wrap bring it back in the next step. A leader there has no followers.
//
// A new influence is a line of this table, a bit, and a line of `acceleration`.
#ifndef MOTION_GLSL
#define MOTION_GLSL

// A bit for each influence that is switched on, except the walls. A constant, so that the compiler removes the code of
// others.
layout(constant_id = 2) const uint INFLUENCES = 0u;

#include "non_finite.glsl"
#define MESHES (INFLUENCES & INFLUENCE_MESHES) != 0u
#include "obstacles.glsl"
#include "manners.glsl"
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

// Before the step: the leader's; then those of the hunters that are feared, with their kinds in w.
layout(set = 0, binding = BINDING_LEADER_POSITION, scalar) readonly buffer LeaderPosition { vec4 leader_position[]; };

struct Force {
    vec3 force;  // world units per second squared
};

struct Velocity {
    vec3 velocity;  // world units per second
};

struct Heading {
    vec3 heading;  // a unit vector
};

// The boid, or where it is put when it is not finite.
Boid contained(Boid boid) {
    bool kept = is_finite(boid.position) && is_finite(boid.velocity);
    return kept ? boid : Boid(vec3(FAR), vec3(0.0));
}

// Towards the nearest prey, and away from hunters.
vec3 hunting(vec3 position, vec3 velocity, float full_speed) {
    uint kind = kind_of(AT(sorted_boid_id, self_place));
    PackedHunt hunt = params.kinds.hunts[kind];
    vec3 sum = vec3(0.0);
    Boid prey;
    if (hunt.prey != NO_KIND && closest(position, self_place, Sought(hunt.prey, hunt.sight_squared), prey)) {
        sum += hunt.chase * steer_along(way_to(position, prey.position), velocity, full_speed);
    }
    for (uint k = 0u; k < params.kinds.hunters; ++k) {
        vec4 hunter = leader_position[1u + k];
        PackedHunt its = params.kinds.hunts[min(uint(hunter.w), MAX_KINDS - 1u)];
        if (its.prey == kind) {
            vec3 to_hunter = way_to(position, hunter.xyz);
            sum -= its.fear * max(1.0 - length(to_hunter) / its.reach, 0.0) * direction_of(to_hunter);
        }
    }
    return sum;
}

// The sum of the influences on the boid of this invocation, which is at `position`.
vec3 acceleration(vec3 position, vec3 velocity, float full_speed) {
    vec3 sum = params.rules.wall_weight * wall_push(position);
    if (INFLUENCES == 0u) {
        return sum;
    }
    uint weights = WEIGHTS * AT(sorted_boid_id, self_place);
    if ((INFLUENCES & INFLUENCE_TARGETS) != 0u) {
        sum += AT(movement_weights, weights + TARGET_WEIGHT)
            * steer_along(nearest_target(position), velocity, full_speed);
    }
    if ((INFLUENCES & INFLUENCE_LEADER) != 0u) {
        vec4 leader = leader_position[0];
        vec3 to_leader = leader.x < FAR ? way_to(position, leader.xyz) : vec3(0.0);
        sum += AT(movement_weights, weights + LEADER_WEIGHT) * steer_along(to_leader, velocity, full_speed);
    }
    if ((INFLUENCES & INFLUENCE_CURRENT) != 0u) {
        sum += AT(movement_weights, weights + CURRENT_WEIGHT)
            * limit(params.current - velocity, params.rules.max_force);
    }
    if ((INFLUENCES & INFLUENCE_POINTS) != 0u) {
        for (uint k = 0u; k < params.point_count; ++k) {
            Point point = params.points[k];
            vec3 to_point = way_to(position, point.position);
            sum += point.strength * max(1.0 - length(to_point) / point.reach, 0.0) * direction_of(to_point);
        }
    }
    if ((INFLUENCES & INFLUENCE_HUNTERS) != 0u) {
        sum += hunting(position, velocity, full_speed);
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
    float max_speed = own_speed(params.rules.max_speed);
    if (influenced()) {
        force += acceleration(self.position, self.velocity, max_speed);
    }
    vec3 velocity = limit(self.velocity + force * params.time_step, max_speed);
    velocity = mannered(self.velocity, velocity);
    return went(Boid(self.position, velocity), velocity * params.time_step);
}

Boid move(Boid self, Velocity wanted) {
    vec3 velocity = wanted.velocity;
    float max_speed = own_speed(params.rules.max_speed);
    if (influenced()) {
        velocity += acceleration(self.position, self.velocity, max_speed) * params.time_step;
    }
    velocity = mannered(self.velocity, limit(velocity, max_speed));
    return went(Boid(self.position, velocity), velocity * params.time_step);
}

Boid move(Boid self, Heading wanted) {
    vec3 heading = wanted.heading;
    vec3 before = heading_of(self.velocity);
    float speed = own_speed(params.rules.move_speed);
    if (influenced()) {
        vec3 change = acceleration(self.position, before * speed, speed) * params.time_step;
        vec3 turned = direction_of(heading * speed + change);
        heading = change == vec3(0.0) || turned == vec3(0.0) ? heading : turned;
    }
    heading = directed(before, heading);
    Boid met = went(Boid(self.position, heading), heading * speed * params.time_step);
    if ((INFLUENCES & INFLUENCE_OBSTACLES) != 0u) {
        vec3 turned = direction_of(met.velocity);
        met.velocity = turned == vec3(0.0) ? -heading : turned;
    }
    met.velocity = own_slot(met.velocity);
    return met;
}

#endif
