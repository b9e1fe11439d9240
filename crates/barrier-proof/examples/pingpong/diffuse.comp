#version 460
// A round of diffusion: each cell becomes the mean of its neighbors, and the middle one stays hot.

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly buffer From { float from[]; };
layout(set = 0, binding = 1) writeonly buffer To { float to[]; };

const uint EDGE = 64;

float cell(uint x, uint y) { return from[(y % EDGE) * EDGE + x % EDGE]; }

void main() {
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    float mean = 0.25 * (cell(x + 1, y) + cell(x + EDGE - 1, y) + cell(x, y + 1) + cell(x, y + EDGE - 1));
    to[y * EDGE + x] = x == EDGE / 2 && y == EDGE / 2 ? 1.0 : mean;
}
