// OrderSums, added up over the invocations of a workgroup.
#ifndef ORDER_SUMS_GLSL
#define ORDER_SUMS_GLSL

#include "order.glsl"

shared OrderSums subgroup_sums[SUBGROUPS];

OrderSums order_zero() {
    return OrderSums(vec4(0.0), vec4(0.0), 0.0, 3.0e38, 0.0, 0u, 0u, 0u);
}

// Sums of one invocation, with their rounding errors.
struct ExactSums {
    OrderSums sums;
    vec4 offset_speed_lost;
    vec4 heading_nearest_lost;
    vec4 neighbors_lost;
};

ExactSums exact_zero() {
    return ExactSums(order_zero(), vec4(0.0), vec4(0.0), vec4(0.0));
}

void add_sums(inout ExactSums exact, OrderSums more) {
    add_exactly(exact.sums.offset_speed, exact.offset_speed_lost, more.offset_speed);
    add_exactly(exact.sums.heading_nearest, exact.heading_nearest_lost, more.heading_nearest);
    vec4 neighbors = vec4(exact.sums.neighbors);
    add_exactly(neighbors, exact.neighbors_lost, vec4(more.neighbors));
    exact.sums.neighbors = neighbors.x;
    exact.sums.least_speed = min(exact.sums.least_speed, more.least_speed);
    exact.sums.most_speed = max(exact.sums.most_speed, more.most_speed);
    exact.sums.most_neighbors = max(exact.sums.most_neighbors, more.most_neighbors);
    exact.sums.alone += more.alone;
    exact.sums.non_finite += more.non_finite;
}

OrderSums subgroup_total(OrderSums sums) {
    return OrderSums(subgroupAdd(sums.offset_speed), subgroupAdd(sums.heading_nearest), subgroupAdd(sums.neighbors),
                     subgroupMin(sums.least_speed), subgroupMax(sums.most_speed), subgroupMax(sums.most_neighbors),
                     subgroupAdd(sums.alone), subgroupAdd(sums.non_finite));
}

// The total over the workgroup, in its first subgroup. Every invocation of the workgroup must call it.
OrderSums workgroup_total(ExactSums exact) {
    OrderSums mine = exact.sums;
    mine.offset_speed += exact.offset_speed_lost;
    mine.heading_nearest += exact.heading_nearest_lost;
    mine.neighbors += exact.neighbors_lost.x;
    OrderSums total = subgroup_total(mine);
    if (subgroupElect()) {
        subgroup_sums[gl_SubgroupID] = total;
    }
    // RAW: the first subgroup reads what all subgroups wrote.
    barrier();
    ExactSums rest = exact_zero();
    // The totals may outnumber the subgroup's invocations (64 of them at a width of 4).
    for (uint k = gl_SubgroupInvocationID; k < gl_NumSubgroups; k += gl_SubgroupSize) {
        add_sums(rest, subgroup_sums[k]);
    }
    return subgroup_total(rest.sums);
}

#endif
