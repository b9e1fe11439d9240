// What the names of the flock's arrays mean in a kernel that finds them by address: see array.glsl. To be included after the
// arrays are declared and before they are used. A name within its own meaning stands for itself: the preprocessor does not
// replace it again.
#if defined(WIDE) && !defined(WIDE_GLSL)
#define WIDE_GLSL

#define position_vx PositionVx(addresses.position_vx).position_vx
#define velocity_yz VelocityYz(addresses.velocity_yz).velocity_yz
#define boid_id BoidId(addresses.boid_id).boid_id
#define sorted_position_vx SortedPositionVx(addresses.sorted_position_vx).sorted_position_vx
#define sorted_velocity_yz SortedVelocityYz(addresses.sorted_velocity_yz).sorted_velocity_yz
#define sorted_boid_id SortedBoidId(addresses.sorted_boid_id).sorted_boid_id
#define sorted_quantized SortedQuantized(addresses.sorted_quantized).sorted_quantized
#define cell_rank CellRank(addresses.cell_rank).cell_rank
#define cell_counts CellCounts(addresses.cell_counts).cell_counts
#define cell_starts CellStarts(addresses.cell_starts).cell_starts
#define block_sums BlockSums(addresses.block_sums).block_sums

#endif
