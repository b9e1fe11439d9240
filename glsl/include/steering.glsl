// Reynolds' steering. Include it after the parameters.
#ifndef STEERING_GLSL
#define STEERING_GLSL

// The limited force towards the velocity `full_speed` along `wanted`; zero if `wanted` has no direction.
vec3 steer_along(vec3 wanted, vec3 velocity, float full_speed) {
    vec3 force = limit(direction_of(wanted) * full_speed - velocity, params.rules.max_force);
    return wanted == vec3(0.0) ? vec3(0.0) : force;
}

#endif
