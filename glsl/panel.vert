// panel (vertex): triangles of panels, in the picture's coordinates from -1 to 1. panel.frag colors their fragments.
#version 460

layout(location = 0) in vec2 in_place;
layout(location = 1) in vec2 in_texel;
layout(location = 2) in vec4 in_color;  // sRGB, multiplied by alpha

layout(location = 0) out vec2 out_texel;
layout(location = 1) out vec4 out_color;  // linear

vec3 decoded(vec3 code) {
    return mix(pow((code + 0.055) / 1.055, vec3(2.4)), code / 12.92, lessThanEqual(code, vec3(0.04045)));
}

void main() {
    out_texel = in_texel;
    out_color = vec4(decoded(in_color.rgb), in_color.a);
    gl_Position = vec4(in_place, 0.0, 1.0);
}
