// A sorting network on pairs of a cell and a boid: code shared by its three kernels.
//
// Blocks of 2, 4, 8 … pairs are merged from sorted halves. The first stage of a merge compares each pair of the lower
// half with its mirror image in the upper one, the others compare pairs a stride apart, and all of them put the smaller
// pair first. So places after the last pair act as if they held infinity: no pair moves there, and any count of pairs
// can be sorted, not only powers of two.
#ifndef BITONIC_GLSL
#define BITONIC_GLSL

layout(set = 0, binding = BINDING_CELL_PAIRS, scalar) buffer CellPairs { uvec2 cell_pairs[]; };

// More than any pair: no boid has this index.
const uvec2 INFINITE_PAIR = uvec2(~0u);

// Whether a belongs after b: by cell, and within a cell by place, which makes the order unique.
bool behind(uvec2 a, uvec2 b) {
    return a.x > b.x || (a.x == b.x && a.y > b.y);
}

// The two places of comparison number `c` of the first stage of a merge of blocks.
uvec2 mirrored(uint c, uint block) {
    uint first = c / (block / 2u) * block;
    uint k = c % (block / 2u);
    return uvec2(first + k, first + block - 1u - k);
}

// The two places of comparison number `c` of a later stage.
uvec2 strided(uint c, uint stride) {
    uint low = c / stride * 2u * stride + c % stride;
    return uvec2(low, low + stride);
}

#endif
