#version 460
// The heat of a cell as a color: one pixel is one cell.

layout(set = 0, binding = 0) readonly buffer From { float from[]; };
layout(location = 0) out vec4 color;

const uint EDGE = 64;

void main() {
    uvec2 cell = uvec2(gl_FragCoord.xy);
    float heat = sqrt(from[cell.y * EDGE + cell.x]);
    color = vec4(heat, heat * heat, 0.0, 1.0);
}
