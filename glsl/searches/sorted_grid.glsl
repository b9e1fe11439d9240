// The search of a flock sorted by cell: nine rows of x-adjacent cells, each one contiguous range of boids, cut
// to the part that the sphere of the search radius reaches. Exact: every boid with d <= R counts, none is capped.
//
//        y,z rows around the boid            one row, seen from above: the sphere cuts a chord
//        +----+----+----+                    +--+--+--+--+--+--+--+--+
//        |    |    |    |                    |  |  |##|##|##|##|  |  |   cells are R/4 wide in x
//        +----+----+----+                    +--+--+--+--+--+--+--+--+
//        |    |  o |    |                          |<-half->o
//        +----+----+----+                    half = sqrt(R² - gap²), gap = distance to the row
//        |    |    |    |
//        +----+----+----+
//
// Rounding never loses a neighbor: src/flock/grid.rs has the argument for `slack` and for the widened radius.

// The radius whose chords are cut, as a factor on R²: rounding may let a boid slightly beyond R pass d² <= R².
const float WIDENED = 1.0 + 1.0 / 262144.0;

// The squared distance that a boid keeps from itself: no radius reaches it.
const float BEYOND = 3.0e38;

// Where frames are broken on purpose, cell_starts may hold anything, and a row is cut after so many candidates; 0, which
// compiles to nothing, trusts the starts.
layout(constant_id = 0) const uint MOST_IN_ROW = 0u;

// How far, at least, a boid at `t` (from the grid's lower corner) is from the boids of the next cells below
// (step -1) or above (step +1) its own, `cell`, along one axis.
float gap_to(int step, float t, uint cell, float cell_size, float slack) {
    float border = float(step > 0 ? cell + 1u : cell) * cell_size;
    return step == 0 ? 0.0 : max(float(step) * (border - t) - slack, 0.0);
}

Sums search(Boid self, uint self_index) {
    Sums sums = sums_zero();
    Grid grid = params.grid;
    vec3 t = self.position - grid.origin;
    uvec3 cell = cell_of(grid, self.position);
    float radius_squared = params.rules.search_radius * params.rules.search_radius;

    for (int dy = -1; dy <= 1; ++dy) {
        // Below row 0 the sum wraps around to a huge number, so one comparison catches both borders.
        uint y = cell.y + uint(dy);
        float gap_y = gap_to(dy, t.y, cell.y, grid.cell_size.y, grid.slack);
        for (int dz = -1; dz <= 1; ++dz) {
            uint z = cell.z + uint(dz);
            float gap_z = gap_to(dz, t.z, cell.z, grid.cell_size.z, grid.slack);
            float half_squared = radius_squared * WIDENED - gap_y * gap_y - gap_z * gap_z;
            if (y >= grid.dims.y || z >= grid.dims.z || half_squared < 0.0) {
                continue;
            }
            float half_chord = sqrt(half_squared) + grid.slack;
            uint row = cell_id(grid, uvec3(0u, y, z));
            uint first = row + cell_along(t.x - half_chord, grid.inv_cell_size.x, grid.dims.x);
            uint last = row + cell_along(t.x + half_chord, grid.inv_cell_size.x, grid.dims.x);
            uint begin = cell_starts[first];
            uint end = cell_starts[last + 1u];
            if (MOST_IN_ROW != 0u) {
                // ~begin: without running over the largest number.
                end = min(end, begin + min(MOST_IN_ROW, ~begin));
            }
            for (uint j = begin; j < end; ++j) {
                vec4 other = sorted_position_vx[j];
                vec3 offset = other.xyz - self.position;
                // No test here: a candidate that is too far, or the boid itself, goes the same way as a neighbor and
                // adds zero. With a branch, a subgroup would walk both sides anyway and pay for parting (8 % of steer).
                float distance_squared = j == self_index ? BEYOND : dot(offset, offset);
                accumulate(sums, self, unpack_boid(other, sorted_velocity_yz[j]), offset, distance_squared);
            }
        }
    }
    return sums;
}
