// sky (fragment): the dusk behind the flock, with the sun's disc, thin clouds and the sea's glitter.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "camera.glsl"
#include "shading.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) in vec3 in_ray;

layout(location = 0) out vec4 out_color;

void main() {
    vec3 direction = normalize(in_ray);
    vec3 color = background(scene.palette, direction);
    float sun = dot(direction, scene.palette.sun_direction);
    color += scene.palette.sun_color * smoothstep(0.99985, 0.99995, sun) * smoothstep(-0.002, 0.002, direction.y);
    color = to_screen(color, scene.encode_srgb);
    // Half a step of noise hides the bands that eight bits give so smooth a gradient.
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    float noise = unit_float(hash(pixel.x + 8192u * pixel.y)) - 0.5;
    out_color = vec4(color + noise / 255.0, 1.0);
}
