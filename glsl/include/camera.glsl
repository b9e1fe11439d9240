// How large a boid appears, and the handling of boids smaller than a pixel. Include scene.glsl first.
#ifndef CAMERA_GLSL
#define CAMERA_GLSL

// Shorter than this, a mesh falls between the samples and flickers.
const float MIN_PIXELS = 2.2;
const uint SAMPLES = 4u;

// A well-mixed hash of x: one round of PCG (Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020).
uint hash(uint x) {
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return (x >> 22u) ^ x;
}

// Uniform in [0, 1).
float unit_float(uint bits) { return float(bits >> 8u) * (1.0 / 16777216.0); }

// Length at which a boid of `pixels` is drawn: the same when large, not much below MIN_PIXELS.
float drawn_pixels(float pixels) {
    float p = pixels * pixels;
    const float least = MIN_PIXELS * MIN_PIXELS;
    return sqrt(sqrt(p * p + least * least));
}

// Samples of a pixel that a boid of `pixels` may cover. Enlarged boids use fewer samples, so that on average
// they darken the picture as much as they would in their true size; the boid's hash decides which boid
// rounds up, so that it does not flicker and overlapping boids cover samples independently.
uint covered_samples(float pixels, uint boid_hash) {
    float ratio = pixels / drawn_pixels(pixels);
    return min(uint(float(SAMPLES) * ratio * ratio + unit_float(boid_hash)), SAMPLES);
}

// The mask of `count` samples, starting at one selected by the boid's hash.
uint sample_mask(uint count, uint boid_hash) {
    uint run = (1u << count) - 1u;
    uint start = boid_hash & (SAMPLES - 1u);
    return ((run << start) | (run >> (SAMPLES - start))) & ((1u << SAMPLES) - 1u);
}

// Columns: right, up, back of a boid flying along `heading`, its back to the sky. `heading` may be vertical,
// or zero for a boid at rest.
mat3 flight_basis(vec3 heading) {
    float size = length(heading);
    vec3 forward = size > 1e-12 ? heading / size : vec3(0.0, 0.0, -1.0);
    vec3 right = vec3(-forward.z, 0.0, forward.x);  // cross(forward, world up)
    float flat_size = length(right);
    right = flat_size > 1e-6 ? right / flat_size : vec3(1.0, 0.0, 0.0);
    return mat3(right, cross(right, forward), -forward);
}

#endif
