#version 460
// follow: what boids heed besides their law: targets, a leader, and a current, each as much as the boid's own weights say.
//
//   extra = w.target · steer_along(nearest target - p) + w.leader · steer_along(leader's position - p)
//         + w.current · limit(current - v', max_force)
//   v''   = limit(v' + extra · dt, max_speed);  p'' = p + v'' · dt;  then the walls
// and of these only what there is: no targets, no leader, and a current of zero add nothing;
// where p is the position before the step, v' the velocity that the law asks for, and steer_along that of reynolds.
//
// in         sorted_position_vx, leader_position   the flock and its leader before the step
// in         movement_weights                      of each boid, by identity
// in, out    position_vx, velocity_yz              the flock after the step
// cost       68 B a boid
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "array.glsl"
#include "dispatch.glsl"
#include "boid.glsl"
#include "vectors.glsl"

layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
readonly FLOCK_ARRAY(BINDING_SORTED_POSITION_VX, SortedPositionVx, sorted_position_vx, vec4, 16);
layout(set = 1, binding = BINDING_MOVEMENT_WEIGHTS, scalar) readonly buffer Weights {
    MovementWeights movement_weights[];
};
layout(set = 1, binding = BINDING_LEADER_POSITION, scalar) readonly buffer LeaderPosition { vec4 leader_position; };

#include "walls.glsl"
#include "steering.glsl"
#include "targets.glsl"

void main() {
    uint i = invocation_index();
    if (i >= params.boid_count) {
        return;
    }
    // Steering keeps each boid in its place, so these are the same one's.
    vec3 before = AT(sorted_position_vx, i).xyz;
    vec3 velocity = vec3(AT(position_vx, i).w, AT(velocity_yz, i));
    MovementWeights weights = movement_weights[AT(boid_id, i)];

    vec3 extra = vec3(0.0);
    if (params.current != vec3(0.0)) {
        extra += weights.current * limit(params.current - velocity, params.rules.max_force);
    }
    if (params.target_count > 0u) {
        extra += weights.target * steer_along(nearest_target(before), velocity);
    }
    if (params.leader < params.boid_count) {
        extra += weights.leader * steer_along(leader_position.xyz - before, velocity);
    }
    velocity = limit(velocity + extra * params.time_step, params.rules.max_speed);
    // Who heeds nothing stays where the law has put it.
    if (extra != vec3(0.0)) {
        Boid moved = meet_walls(Boid(before + velocity * params.time_step, velocity));
        AT(position_vx, i) = vec4(moved.position, moved.velocity.x);
        AT(velocity_yz, i) = moved.velocity.yz;
    }
}
