// trail_record: records the position of each boid, for its trail.
//
// Reads position_vx and boid_id. Reads and writes trail_history: the previous samples and the new ones.
// Invariant: from a sample, an unbroken trail leads back to step `since`. It breaks where a boid is farther from its
// last sample than it can have flown, on a torus than from its nearest image: the flock was placed elsewhere.
// Cost: 20 bytes read and 16 written for each boid in the state's order, and 16 read and written in that of the ids.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "dispatch.glsl"
#include "trail.glsl"

layout(push_constant, scalar) uniform Moment { TrailStep moment; };
layout(set = 0, binding = BINDING_POSITION_VX, scalar) readonly buffer PositionVx { vec4 position_vx[]; };
layout(set = 0, binding = BINDING_BOID_ID, scalar) readonly buffer BoidId { uint boid_id[]; };
layout(set = 0, binding = BINDING_TRAIL_HISTORY, scalar) buffer TrailHistory { TrailSample trail_history[]; };

void main() {
    uint boid = invocation_index();
    if (boid >= moment.boid_count) {
        return;
    }
    uint id = boid_id[boid];
    // In frames that are broken on purpose, a boid_id may have any value.
    if (id >= moment.boid_count) {
        return;
    }
    TrailSample now = TrailSample(position_vx[boid].xyz, moment.step);
    if (moment.reach >= 0.0) {
        TrailSample before = trail_history[moment.previous * moment.boid_count + id];
        if (distance(nearest_image(before.position, now.position, moment.period), now.position) <= moment.reach) {
            now.since = before.since;
        }
    }
    trail_history[moment.slot * moment.boid_count + id] = now;
}
