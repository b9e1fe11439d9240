// How a kernel reaches the arrays of the flock: FLOCK_ARRAY(number) opens the declaration of one.
//
// Each has a descriptor, so that validation sees who touches what. But a descriptor reaches no further than the device's
// maxStorageBufferRange, 4 GiB at most, and `position_vx` is as long with 2^28 boids. For flocks beyond it, a kernel that
// includes wide.glsl is built a second time, as NAME_wide, with WIDE defined. There an array is found by its address, and
// the text of the kernel stays the same.
#ifndef ARRAY_GLSL
#define ARRAY_GLSL

#include "layout.glsl"

#ifdef WIDE
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// The alignment lets the compiler load a vec4 at once.
#define FLOCK_ARRAY(number) layout(buffer_reference, scalar, buffer_reference_align = 16)

layout(push_constant, scalar) uniform Push { ArrayAddresses addresses; };
#else
#define FLOCK_ARRAY(number) layout(set = 0, binding = number, scalar)
#endif

#endif
