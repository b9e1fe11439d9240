// Puts a fragment of the rasterizer into the samples that it covers. Include samples.glsl first.
#ifndef FRAGMENT_GLSL
#define FRAGMENT_GLSL

// Depth at each sample of this fragment's pixel. Call it before any branch: it takes differences between neighboring
// pixels.
vec4 fragment_depths() {
    vec2 slope = vec2(dFdx(gl_FragCoord.z), dFdy(gl_FragCoord.z));
    vec4 depths;
    for (uint k = 0u; k < SAMPLES; ++k) {
        depths[k] = clamp(gl_FragCoord.z + dot(slope, SAMPLE_PLACES[k] - 0.5), 1e-30, 1.0);
    }
    return depths;
}

// Those samples that the fragment covers and, so far, is the nearest surface of, as a mask. If there are none, it need
// not be shaded.
uint fragment_samples(vec4 depths) {
    uint first = first_sample(uvec2(gl_FragCoord.xy));
    uint mask = 0u;
    for (uint k = 0u; k < SAMPLES; ++k) {
        if ((gl_SampleMaskIn[0] >> k & 1) != 0 && sample_depth(first + k) <= depths[k]) {
            mask |= 1u << k;
        }
    }
    return mask;
}

// Those samples at which a texture is opaque that has this alpha at the middle of the pixel, and this slope of it.
uint opaque_samples(float alpha, vec2 slope) {
    uint mask = 0u;
    for (uint k = 0u; k < SAMPLES; ++k) {
        mask |= alpha + dot(slope, SAMPLE_PLACES[k] - 0.5) >= 0.4 ? 1u << k : 0u;
    }
    return mask;
}

void put_fragment(uint mask, vec4 depths, vec3 color) {
    uint first = first_sample(uvec2(gl_FragCoord.xy));
    uint code = color_code(color);
    for (uint k = 0u; k < SAMPLES; ++k) {
        if ((mask >> k & 1u) != 0u) {
            put_sample(first + k, depths[k], code);
        }
    }
}

#endif
