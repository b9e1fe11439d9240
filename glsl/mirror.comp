#version 460
// mirror: how much of its mirror image in the sea the flock covers, as seen from where the eye is mirrored.
//
// in         position_vx, velocity_yz, boid_id   the flock after the last step
// out        mirror                              texels of a level picture plane, from the horizon up; MIRROR_UNIT for
//                                                each time that boids cover a texel: added to, after
//                                                samples_clear has set all to zero
// invariant  one of scene.mirror_stride boids is looked at, and counts as so many: at most MIRROR_BOIDS, whatever the
//            flock. A boid counts as what it covers on average over all directions, but as at most MOST_COVERED times
//            in each texel
// cost       28 B for each boid looked at, and an atomic for each of at most 16 texels
#extension GL_GOOGLE_include_directive : require
#pragma by_address
#include "scene.glsl"
#include "array.glsl"
#include "dispatch.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };
readonly FLOCK_ARRAY(BINDING_POSITION_VX, PositionVx, position_vx, vec4, 16);
readonly FLOCK_ARRAY(BINDING_VELOCITY_YZ, VelocityYz, velocity_yz, vec2, 8);
readonly FLOCK_ARRAY(BINDING_BOID_ID, BoidId, boid_id, uint, 4);
layout(set = 1, binding = BINDING_MIRROR, scalar) buffer Mirror { uint mirror[]; };

#include "camera.glsl"

const vec2 SIZE = vec2(MIRROR_WIDTH, MIRROR_HEIGHT);
const float MOST_COVERED = 16.0;

void main() {
#ifdef WITNESS
    // Never executed. Synchronization validation treats an atomic as a read; this store shows it the write to mirror.
    if (scene.boid_count == 0u) {
        mirror[0] = 0u;
    }
#endif
    uint boid = invocation_index() * scene.mirror_stride;
    if (boid >= scene.boid_count) {
        return;
    }
    vec4 state = AT(position_vx, boid);
    vec3 position = state.xyz + vec3(state.w, AT(velocity_yz, boid)) * (scene.speed_scale * scene.extrapolate);
    vec3 offset = position - vec3(scene.eye.x, 2.0 * scene.sea - scene.eye.y, scene.eye.z);
    float along = dot(offset, scene.mirror_forward);
    uint id = AT(boid_id, boid);
    float boid_length = length_of(kind_of(id));
    // A boid below the sea has no image. Nor has one that is so near that it would cover all of it.
    if (!(along > 2.0 * boid_length) || position.y < scene.sea) {
        return;
    }
    vec2 place = SIZE * vec2(0.5 + 0.5 * dot(offset, scene.mirror_right) / along, offset.y * scene.mirror_rise / along);
    // Texels that a boid is long, to the side and up.
    vec2 texels = SIZE * vec2(0.5 * length(scene.mirror_right), scene.mirror_rise) * (boid_length / along);
    // As much as a boid covers of a square of its length, see shadow.glsl.
    float stretched = pow(scene.boid_scale.x * scene.boid_scale.y * scene.boid_scale.z, 2.0 / 3.0);
    float covered = 0.15 * stretched * texels.x * texels.y * float(scene.mirror_stride);
    uvec2 span = uvec2(clamp(0.5 * texels + 0.5, vec2(1.0), vec2(4.0)));
    uint bits = hash(id);
    // Rounded up or down by chance, so that many that cover little add up.
    float amount = min(covered / float(span.x * span.y), MOST_COVERED) * float(MIRROR_UNIT);
    uint count = uint(amount + unit_float(bits));
    if (count == 0u) {
        return;
    }
    ivec2 corner = ivec2(floor(place - 0.5 * vec2(span) + 0.5));
    for (uint part = 0u; part < span.x * span.y; ++part) {
        ivec2 at = corner + ivec2(part % span.x, part / span.x);
        if (all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, ivec2(SIZE)))) {
            atomicAdd(mirror[uint(at.y) * MIRROR_WIDTH + uint(at.x)], count);
        }
    }
}
