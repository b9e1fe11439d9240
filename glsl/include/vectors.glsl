// Vector arithmetic that gives finite results for the values that settings allow.
#ifndef VECTORS_GLSL
#define VECTORS_GLSL

// The smallest normal number: below it devices may flush to zero, and quotients have no guaranteed precision.
const float SMALLEST_NORMAL = 1.17549435e-38;

// The unit vector along v, or zero where v has no direction. Dividing by the largest component first keeps the
// square from overflowing or vanishing. Without a branch: for zero, zero is divided.
vec3 direction_of(vec3 v) {
    float largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    vec3 scaled = v / max(largest, SMALLEST_NORMAL);
    return scaled * inversesqrt(max(dot(scaled, scaled), SMALLEST_NORMAL));
}

// v, shortened to the length `longest` if it is longer. Settings do not allow a vector so long that its square
// overflows.
vec3 limit(vec3 v, float longest) {
    float squared = dot(v, v);
    return v * (squared > longest * longest ? longest * inversesqrt(squared) : 1.0);
}

// The square of an offset's length, but not zero, so that a law may divide by it. It differs only for an offset that is
// zero, or so short that its square underflows.
float squared_length(vec3 offset) {
    return offset.z * offset.z + (offset.y * offset.y + (offset.x * offset.x + SMALLEST_NORMAL));
}

#endif
