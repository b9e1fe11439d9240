// sky (vertex): one triangle that covers the screen, infinitely far away.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(set = 0, binding = BINDING_SCENE_PARAMS, scalar) uniform SceneBlock { SceneParams scene; };

layout(location = 0) out vec3 out_ray;

void main() {
    vec2 ndc = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    out_ray = scene.ray_forward + ndc.x * scene.ray_right + ndc.y * scene.ray_down;
    gl_Position = vec4(ndc, 0.0, 1.0);
}
