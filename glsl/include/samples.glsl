// The samples of a picture: SAMPLES in each block of pixels, each with the nearest depth so far and the color there. A
// block is one pixel, or where the picture must be cheap an edge of several. Every surface of
// the picture is put into them, by the rasterizer's fragments and by `cull` alike. Declare scene first.
//
// A sample is one 64-bit number: reversed depth above, color below. Depths are positive, so their bits are ordered as
// they are, and one atomic maximum keeps the nearest surface, whatever the order of arrival. (Of two surfaces at the
// same depth remains the one with the larger color code.) Zero is infinitely far away: nothing.
//
// A shader that defines READ_SAMPLES_ONLY before it includes this puts nothing into them.
//
// A device without 64-bit atomics draws the picture twice, with NARROW: round 0 finds the depths; round 1 finds, among
// the colors that arrive with exactly that depth, the one with the largest code. The result is the same.
#ifndef SAMPLES_GLSL
#define SAMPLES_GLSL

#ifdef READ_SAMPLES_ONLY
#define SAMPLE_BUFFER layout(set = 1, binding = BINDING_SAMPLES, scalar) readonly buffer SampleBuffer
// What nobody writes meanwhile.
#define SAMPLE(at) samples[at]
#else
#extension GL_KHR_memory_scope_semantics : require
#define SAMPLE_BUFFER layout(set = 1, binding = BINDING_SAMPLES, scalar) buffer SampleBuffer
// Others may change the sample by their atomics meanwhile: beside these a plain read would be a data race.
#define SAMPLE(at) atomicLoad(samples[at], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed)
#endif

#ifdef NARROW
// Depths of all samples, then colors.
SAMPLE_BUFFER { uint samples[]; };
#else
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
SAMPLE_BUFFER { uint64_t samples[]; };
#endif

// Places of the samples in a block: the standard ones of the specification.
const vec2 SAMPLE_PLACES[SAMPLES] = vec2[](vec2(0.375, 0.125), vec2(0.875, 0.375), vec2(0.125, 0.625),
    vec2(0.625, 0.875));

uint first_sample(uvec2 block) { return SAMPLES * (block.y * scene.width + block.x); }

// Depth of a sample's surface: 0 if there is none.
float sample_depth(uint at) {
#ifdef NARROW
    return uintBitsToFloat(SAMPLE(at));
#else
    return uintBitsToFloat(unpack32(SAMPLE(at)).y);
#endif
}

// Displayed linear color, from 0 to 1, as a code: square roots in 11, 11 and 10 bits, so that steps are about equally
// visible.
uint color_code(vec3 color) {
    uvec3 code = uvec3(sqrt(clamp(color, 0.0, 1.0)) * vec3(2047.0, 2047.0, 1023.0) + 0.5);
    return code.r << 21 | code.g << 10 | code.b;
}

// The color of a sample that has one.
vec3 sample_color(uint at) {
#ifdef NARROW
    uint code = SAMPLE(SAMPLES * scene.width * scene.height + at);
#else
    uint code = unpack32(SAMPLE(at)).x;
#endif
    vec3 root = vec3(code >> 21, code >> 10 & 2047u, code & 1023u) / vec3(2047.0, 2047.0, 1023.0);
    return root * root;
}

#ifndef READ_SAMPLES_ONLY
// Puts a surface into a sample. Most are hidden by what is there already, and a look before the atomic is cheaper than
// the atomic. The look may be outdated; samples only grow, so then the atomic decides.
void put_sample(uint at, float depth, uint code) {
    uint bits = floatBitsToUint(depth);
#ifdef NARROW
    if (scene.round == 0u) {
        if (SAMPLE(at) < bits) {
            atomicMax(samples[at], bits);
        }
    } else if (SAMPLE(at) == bits) {
        atomicMax(samples[SAMPLES * scene.width * scene.height + at], code);
    }
#else
    uint64_t surface = pack64(uvec2(code, bits));
    if (SAMPLE(at) < surface) {
        atomicMax(samples[at], surface);
    }
#endif
}

#endif

#ifdef WITNESS
// Never executed. Synchronization validation treats an atomic as a read; this store shows it the write to samples.
void witness_samples() {
    if (scene.boid_count == 0u) {
        samples[0] = 0;
    }
}
#endif

#endif
