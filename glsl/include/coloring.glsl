// A boid's color, by the value that it shows. Include scene.glsl, camera.glsl, shading.glsl and
// grid.glsl and declare scene first.
#ifndef COLORING_GLSL
#define COLORING_GLSL

// For `cull`, which says why its loops are not unrolled.
#extension GL_EXT_control_flow_attributes : require

// The ramp at `share`, from 0 at its first color to 1 at its last.
vec3 ramp(float share) {
    float place = clamp(share, 0.0, 1.0) * float(RAMP_COLORS - 1u);
    uint below = min(uint(place), RAMP_COLORS - 2u);
    return mix(scene.ramp[below], scene.ramp[below + 1u], place - float(below));
}

// The ramp at a value.
vec3 ramp_of(float value) { return ramp((value - scene.ramp_low) / (scene.ramp_high - scene.ramp_low)); }

// Random red, green and blue in display encoding, drawn again until they add up to at least 1. Five of six draws
// do. If all sixteen draws fail, about once in 2 * 10^12 boids, the color is gray.
vec3 random_color(uint bits) {
    [[dont_unroll]] for (uint draw = 0u; draw < 16u; ++draw) {
        uvec3 word = uvec3(hash(bits + 3u * draw), hash(bits + 3u * draw + 1u), hash(bits + 3u * draw + 2u));
        vec3 code = vec3(unit_float(word.x), unit_float(word.y), unit_float(word.z));
        if (code.r + code.g + code.b >= 1.0) {
            return code;
        }
    }
    return vec3(0.5);
}

// Red in the picked cell, cyan in the up to 26 around it, black elsewhere. Each boid computes its own color from its
// present position: nothing is looked up by an old index, and no two invocations write to one place.
vec3 cell_color(vec3 position) {
    ivec3 apart = abs(ivec3(cell_of(scene.cells, position)) - ivec3(scene.cell));
    if (scene.cells.wraps != 0u) {
        apart = min(apart, ivec3(scene.cells.dims) - apart);
    }
    int farthest = max(max(apart.x, apart.y), apart.z);
    return farthest == 0 ? vec3(1.0, 0.0, 0.0) : farthest == 1 ? vec3(0.0, 0.75, 0.85) : vec3(0.0);
}

// By the boid's heading: azimuth as hue, and paler with increasing climb.
vec3 heading_color(vec3 heading) {
    float turn = atan(heading.x, -heading.z) / TAU + 0.5;
    return mix(ramp(turn), vec3(0.9), 0.45 * max(heading.y, 0.0)) * (1.0 + 0.6 * min(heading.y, 0.0));
}

// `bits` is the boid's hash and `position` where it was after the last step.
vec3 color_of(vec3 position, vec3 velocity, uint bits) {
    switch (COLORING) {
        case COLORING_ID: return ramp(unit_float(hash(bits + 11u)));
        case COLORING_RANDOM: return srgb_decode(random_color(bits));
        case COLORING_HEADING: return heading_color(velocity / max(length(velocity), 1e-12));
        case COLORING_SPEED: return ramp_of(length(velocity));
        case COLORING_SILHOUETTE: return vec3(0.012, 0.011, 0.014);
        case COLORING_CELL: return cell_color(position);
        default: return vec3(1.0);
    }
}

#endif
