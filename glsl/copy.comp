#version 460
// copy: copies bytes; the benchmark compares other passes with it.
//
// in         copy_from   16 B an invocation
// out        copy_to     16 B an invocation
// invariant  copy_to equals copy_from
// cost       32 B an invocation
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "dispatch.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer CopyFrom { uvec4 copy_from[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer CopyTo { uvec4 copy_to[]; };

void main() {
    uint i = invocation_index();
    if (i < uint(copy_to.length())) {
        copy_to[i] = copy_from[i];
    }
}
