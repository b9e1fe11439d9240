// Kernels for tests/shaders.rs, one for each macro, whose modules follow each other in kernels.spv. Made again by:
//   for name in $(grep -oP '^#(el)?if defined\(\K\w+' kernels.comp); do
//     glslangValidator -V --target-env vulkan1.3 -D$name kernels.comp -o $name.spv && spirv-opt -O $name.spv -o $name.spv
//     cat $name.spv && rm $name.spv
//   done > kernels.spv
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(set = 0, binding = 2) readonly buffer C { uint c[]; };
layout(push_constant) uniform Push { uint n; };
shared uint s[64];
shared uint t[64];
shared uint one;

const int WG = gl_ScopeWorkgroup;
const int ALL = gl_SemanticsAcquireRelease;

void main() {
    uint lid = gl_LocalInvocationIndex;
    uint gid = gl_WorkGroupID.x * 64u + lid;

// Wrong ones.

#if defined(atomic_of_a_workgroup)
    atomicAdd(a[c[gid] & 7u], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
#elif defined(atomic_of_a_subgroup)
    s[lid] = 0u;
    barrier();
    atomicAdd(s[c[gid] & 7u], 1u, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
    barrier();
    a[gid] = s[lid];
#elif defined(store_beside_atomics)
    if (gid == 0u) {
        a[0] = 7u;
    }
    atomicAdd(a[c[gid] & 7u], 1u);
#elif defined(waits_for_its_subgroup)
    s[lid] = c[gid];
    controlBarrier(gl_ScopeSubgroup, WG, gl_StorageSemanticsShared, ALL);
    a[gid] = s[63u - lid];
#elif defined(without_semantics)
    s[lid] = c[gid];
    controlBarrier(WG, WG, 0, 0);
    a[gid] = s[63u - lid];
#elif defined(memory_of_a_subgroup)
    s[lid] = c[gid];
    controlBarrier(WG, gl_ScopeSubgroup, gl_StorageSemanticsShared, ALL);
    a[gid] = s[63u - lid];
#elif defined(semantics_of_buffers)
    s[lid] = c[gid];
    controlBarrier(WG, WG, gl_StorageSemanticsBuffer, ALL);
    a[gid] = s[63u - lid];
#elif defined(semantics_of_shared)
    a[gid] = c[gid];
    barrier();
    b[gid] = a[gid ^ 1u];
#elif defined(released_after)
    s[lid] = c[gid];
    controlBarrier(WG, WG, 0, 0);
    memoryBarrierShared();
    a[gid] = s[63u - lid];
#elif defined(barrier_of_a_half)
    s[lid] = c[gid];
    if (lid < 32u) {
        barrier();
    }
    barrier();
    a[gid] = s[63u - lid];
#elif defined(early_return)
    if (c[gid] == 0u) {
        return;
    }
    s[lid] = c[gid];
    barrier();
    a[gid] = s[63u - lid];
#elif defined(barrier_in_own_loop)
    for (uint i = 0u; i < c[gid]; ++i) {
        barrier();
    }
    a[gid] = lid;
#elif defined(broken_loop)
    for (uint i = 0u; i < n; ++i) {
        if (c[gid + i] == 5u) {
            break;
        }
        barrier();
    }
    a[gid] = lid;
#elif defined(subgroups_differ)
    s[lid] = c[gid];
    if (subgroupAny(c[gid] > 3u)) {
        barrier();
    }
    a[gid] = s[lid];
#elif defined(by_what_a_loop_left)
    uint i = 0u;
    while (c[i] < c[gid]) {
        ++i;
    }
    if (i > 4u) {
        barrier();
    }
    a[gid] = i;
#elif defined(shifted)
    a[gid >> 3] = a[gid >> 3] + 1u;
#elif defined(shifted_store)
    a[gid >> 3] = lid;
#elif defined(masked)
    a[gid & 63u] = lid;
#elif defined(local_number)
    a[lid] = c[gid];
#elif defined(even_product)
    a[gid * 0x10000000u] = lid;
#elif defined(halves_meet)
    a[gid ^ 1u] = c[gid];
    b[gid] = a[gid];
#elif defined(next_one)
    a[gid] = a[gid + 1u];
#elif defined(rows_meet)
    a[gl_GlobalInvocationID.x] = lid;
#elif defined(width_of_8)
    uint total = subgroupAdd(c[gid]);
    if (subgroupElect()) {
        s[lid / 8u] = total;
    }
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < 8u; ++k) {
        sum += s[k];
    }
    a[gid] = sum;
#elif defined(subgroups_store_one)
    uint total = subgroupAdd(c[gid]);
    if (subgroupElect()) {
        one = total;
    }
    barrier();
    a[gid] = one;
#elif defined(lanes_store)
    s[gl_SubgroupInvocationID] = c[gid];
    barrier();
    a[gid] = s[0];
#elif defined(leader_too_early)
    if (lid == 0u) {
        one = c[gid];
    }
    a[gid] = one;
#elif defined(one_barrier_a_round)
    s[lid] = c[gid];
    for (uint step = 1u; step < 64u; step *= 2u) {
        barrier();
        uint other = lid >= step ? s[lid - step] : 0u;
        s[lid] += other;
    }
    a[gid] = s[lid];
#elif defined(every_workgroup_stores)
    if (lid == 0u) {
        a[0] = c[gl_WorkGroupID.x];
    }

// Wrong ones whose defect is not looked for.

#elif defined(unseen_sum_at_16)
    uint total = subgroupAdd(c[gid]);
    if (lid % 8u == 0u) {
        s[lid / 8u] = total;
    }
    barrier();
    a[gid] = s[lid / 8u];
#elif defined(unseen_scatter)
    a[c[gid]] = lid;
#elif defined(unseen_beyond_the_end)
    a[gid + 1000000000u] = lid;
#elif defined(unseen_spin)
    if (lid == 0u) {
        while (atomicOr(a[0], 0u) == 0u) {
        }
    }

// One that does more than it needs.

#elif defined(needless_barrier)
    s[lid] = c[gid];
    barrier();
    a[gid] = s[lid];

// Right ones.

#elif defined(ok_xor_twice)
    a[gid ^ 2u ^ 2u] = a[gid ^ 2u ^ 2u] + 1u;
#elif defined(ok_odd_product)
    a[gid * 5u + 3u] = a[gid * 5u + 3u] + 1u;
#elif defined(ok_backwards)
    a[1023u - gid] = a[1023u - gid] + n;
#elif defined(ok_offset)
    a[gid + n] = a[gid + n] + 1u;
#elif defined(ok_by_eight)
    for (uint i = 0u; i < 8u; ++i) {
        a[gid * 8u + i] = i;
    }
#elif defined(ok_exchange)
    s[lid] = c[gid];
    barrier();
    a[gid] = s[63u - lid];
#elif defined(ok_memory_barriers)
    s[lid] = c[gid];
    memoryBarrierShared();
    controlBarrier(WG, WG, 0, 0);
    memoryBarrierShared();
    a[gid] = s[63u - lid];
#elif defined(ok_buffer_exchange)
    a[gid] = c[gid];
    controlBarrier(WG, WG, gl_StorageSemanticsBuffer, ALL);
    b[gid] = a[gid ^ 1u];
#elif defined(ok_uniform_loop)
    for (uint i = 0u; i < n; ++i) {
        s[lid] = c[gid + i];
        barrier();
        a[gid] = s[63u - lid];
        barrier();
    }
#elif defined(ok_uniform_condition)
    s[lid] = c[gid];
    if (c[gl_WorkGroupID.x] > n) {
        barrier();
        a[gid] = s[63u - lid];
    }
#elif defined(ok_workgroup_returns)
    if (gl_WorkGroupID.x >= n) {
        return;
    }
    s[lid] = c[gid];
    barrier();
    a[gid] = s[63u - lid];
#elif defined(ok_by_shared_flag)
    if (lid == 0u) {
        one = c[gl_WorkGroupID.x];
    }
    barrier();
    if (one > 3u) {
        s[lid] = c[gid];
        barrier();
        a[gid] = s[63u - lid];
    }
#elif defined(ok_equal_rounds)
    for (uint i = lid; i < lid + 4u; ++i) {
        s[lid] = i;
        barrier();
        a[gid] = s[63u - lid];
        barrier();
    }
#elif defined(ok_own_loop_first)
    uint sum = 0u;
    for (uint i = 0u; i < c[gid]; ++i) {
        sum += c[i];
    }
    s[lid] = sum;
    barrier();
    a[gid] = s[63u - lid];
#elif defined(ok_guarded)
    if (gid < n) {
        s[lid] = c[gid];
    } else {
        s[lid] = 0u;
    }
    barrier();
    a[gid] = s[63u - lid];
#elif defined(ok_tree)
    s[lid] = c[gid];
    barrier();
    for (uint step = 32u; step > 0u; step /= 2u) {
        if (lid < step) {
            s[lid] += s[lid + step];
        }
        barrier();
    }
    a[gid] = s[0];
#elif defined(ok_two_barriers_a_round)
    s[lid] = c[gid];
    for (uint step = 1u; step < 64u; step *= 2u) {
        barrier();
        uint other = lid >= step ? s[lid - step] : 0u;
        barrier();
        s[lid] += other;
    }
    a[gid] = s[lid];
#elif defined(ok_sums_of_subgroups)
    uint total = subgroupAdd(c[gid]);
    if (subgroupElect()) {
        s[gl_SubgroupID] = total;
    }
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < gl_NumSubgroups; ++k) {
        sum += s[k];
    }
    a[gid] = sum;
#elif defined(ok_last_lane)
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) {
        s[lid / gl_SubgroupSize] = c[gid];
    }
    barrier();
    a[gid] = s[lid / gl_SubgroupSize];
#elif defined(ok_first_of_first)
    if (gl_SubgroupID == 0u && subgroupElect()) {
        one = c[gid];
    }
    barrier();
    a[gid] = one;
#elif defined(ok_histogram)
    t[lid] = 0u;
    barrier();
    atomicAdd(t[c[gid] & 63u], 1u);
    barrier();
    atomicAdd(a[lid], t[lid]);
#elif defined(ok_atomic_of_own_workgroup)
    atomicAdd(a[gl_WorkGroupID.x], c[gid], gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
#elif defined(ok_strided)
    for (uint i = lid; i < 64u * n; i += 64u) {
        a[gl_WorkGroupID.x * 64u * n + i] = i;
    }
#elif defined(ok_one_for_all)
    if (gid == 0u) {
        a[0] = n;
    }
#elif defined(ok_folded)
    uint place = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64u + lid;
    a[place] = a[place] + 1u;
#endif
}
