// Which part of the work an invocation does.
//
// Vulkan guarantees 65,535 workgroups along one dimension only, so longer dispatches are folded into two dimensions and
// the last row may exceed the work: every kernel checks its index against the end of its work.
#ifndef DISPATCH_GLSL
#define DISPATCH_GLSL

layout(local_size_x = WORKGROUP_SIZE, local_size_y = 1, local_size_z = 1) in;

uint workgroup_index() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint invocation_index() {
    return workgroup_index() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
}

#endif
