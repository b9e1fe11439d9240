// How a kernel reaches the arrays of the flock: FLOCK_ARRAY declares one, and AT(array, index) is an element of it, to be read
// or written.
//
// Each has a descriptor, so that validation sees who touches what. But a descriptor reaches no further than the device's
// maxStorageBufferRange, 4 GiB at most, and `position_vx` is as long with 2^28 boids. For flocks beyond it, a kernel with
// `#pragma by_address` is built a second time, as NAME_by_address, with BY_ADDRESS defined. There an element is found by its address, and the
// text of the kernel stays the same.
//
// Why elements, and not whole arrays, by address: without VK_EXT_shader_64bit_indexing a device may compute where an element of
// an array lies in 32 bits, even in an array that was found by a 64-bit address. An NVIDIA H200 does, and beyond 4 GiB it begins
// again at the array's start. So the block behind an address holds one element, and AT adds `index` times its size to
// the address, which GL_EXT_buffer_reference2 does in 64 bits.
#ifndef ARRAY_GLSL
#define ARRAY_GLSL

#include "layout.glsl"

#ifdef BY_ADDRESS
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// Where each array begins, by binding: the lower and the upper half.
layout(push_constant, scalar) uniform Push { uvec2 addresses[ADDRESSES]; };

// A function of the array's name: where it begins, as a reference to an element. `bytes` is what one takes; std430, where scalar
// layout would align a vec4 to four bytes only, and the device could not load it at once.
#define FLOCK_ARRAY(number, Block, array, type, bytes) \
    layout(buffer_reference, std430, buffer_reference_align = bytes) buffer Block { type element; }; \
    Block array() { return Block(addresses[number]); }

#define AT(array, index) array()[index].element
#else
#define FLOCK_ARRAY(number, Block, array, type, bytes) \
    layout(set = 0, binding = number, scalar) buffer Block { type array[]; }

#define AT(array, index) array[index]
#endif

#endif
