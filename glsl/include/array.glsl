// Access to the arrays of the flock: FLOCK_ARRAY declares one, and AT(array, index) is an element of it, to read
// or write.
//
// Each array has a descriptor, so that validation sees its accesses. But a descriptor reaches no further than the
// device's maxStorageBufferRange, below 4 GiB, the size of `position_vx` with 2^28 boids. For longer flocks, a kernel
// with `#pragma by_address` is built a second time, as NAME_by_address, with BY_ADDRESS defined. There an element is
// found by its address, and the source of the kernel stays the same.
//
// Why elements, and not whole arrays, by address: without VK_EXT_shader_64bit_indexing a device may compute the offset
// of an element in 32 bits, even in an array with a 64-bit address. An NVIDIA H200 does, and beyond 4 GiB the offset
// wraps around. So a reference points to a block of one element, and AT adds `index` times its size to
// the address, which GL_EXT_buffer_reference2 does in 64 bits.
#ifndef ARRAY_GLSL
#define ARRAY_GLSL

#include "layout.glsl"

#ifdef MANY
layout(push_constant, scalar) uniform Push { Parts many; };

#define SHORT_ARRAY(number, Block, array, type, size) \
    layout(set = 0, binding = number, scalar) buffer Block { type array[]; }; \
    uint array##_part() { return gl_WorkGroupID.z * (many.bytes[number] / size); }
#define IN(array, index) array[array##_part() + (index)]

// A buffer with one value.
#define FLOCK_VALUE(number, Block, value, type) layout(set = 0, binding = number, scalar) buffer Block { type value[]; }
#define THE(value) value[gl_WorkGroupID.z]
#else
#define SHORT_ARRAY(number, Block, array, type, bytes) \
    layout(set = 0, binding = number, scalar) buffer Block { type array[]; }
#define IN(array, index) array[index]
#define FLOCK_VALUE(number, Block, value, type) layout(set = 0, binding = number, scalar) buffer Block { type value; }
#define THE(value) value
#endif

#ifdef BY_ADDRESS
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// Start address of each array, by binding: lower and upper half.
layout(push_constant, scalar) uniform Push { uvec2 addresses[ADDRESSES]; };

// Declares a function with the array's name that returns its start, as a reference to an element of `bytes` bytes.
// std430, because scalar layout would align a vec4 to only four bytes, and the device could not load it at once.
#define FLOCK_ARRAY(number, Block, array, type, bytes) \
    layout(buffer_reference, std430, buffer_reference_align = bytes) buffer Block { type element; }; \
    Block array() { return Block(addresses[number]); }

#define AT(array, index) array()[index].element
#else
#define FLOCK_ARRAY(number, Block, array, type, bytes) SHORT_ARRAY(number, Block, array, type, bytes)
#define AT(array, index) IN(array, index)
#endif

#endif
