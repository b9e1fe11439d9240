// Vector arithmetic that stays finite on every input it can meet.
#ifndef VECTORS_GLSL
#define VECTORS_GLSL

// The smallest normal number: below it devices may flush to zero, and quotients have no promised precision.
const float SMALLEST_NORMAL = 1.17549435e-38;

// The unit vector along v, or zero where v has no direction. Dividing by the largest component first keeps the
// square from overflowing or vanishing.
vec3 direction_of(vec3 v) {
    float largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    return largest >= SMALLEST_NORMAL ? normalize(v / largest) : vec3(0.0);
}

// v, shortened to the length `longest` if it is longer.
vec3 limit(vec3 v, float longest) {
    return dot(v, v) > longest * longest ? direction_of(v) * longest : v;
}

#endif
