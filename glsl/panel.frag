// panel (fragment): the color of a panel, times a texel: letters are cut out by the texture's alpha.
#version 460

// Whether the image takes sRGB codes; else it encodes linear colors by itself.
layout(constant_id = 0) const bool ENCODE = false;

layout(set = 0, binding = BINDING_PANEL_TEXTURE) uniform sampler2D panel_textures;

layout(location = 0) in vec2 in_texel;
layout(location = 1) in vec4 in_color;

layout(location = 0) out vec4 out_color;

vec3 encoded(vec3 linear) {
    return mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

void main() {
    vec4 color = in_color * texture(panel_textures, in_texel);
    out_color = ENCODE ? vec4(encoded(color.rgb), color.a) : color;
}
