// The rows of cells around a boid, each cut to the part that the sphere of the search radius reaches.
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
// No neighbor is lost by rounding: src/flock/grid.rs has the argument for `slack` and for the widened radius.
#ifndef ROWS_GLSL
#define ROWS_GLSL

#include "bounded.glsl"
#include "grid.glsl"
#include "torus.glsl"

// Factor on R² of the radius whose chords are cut: by rounding, a boid slightly beyond R may pass d² <= R².
const float WIDENED = 1.0 + 1.0 / 262144.0;

// Least distance along one axis from a boid at `t` (from the grid's lower corner) to the boids of the next cells
// below (step -1) or above (step +1) its own, `cell`.
float gap_to(int step, float t, uint cell, float cell_size, float slack) {
    float border = float(step > 0 ? cell + 1u : cell) * cell_size;
    return step == 0 ? 0.0 : max(float(step) * (border - t) - slack, 0.0);
}

// The remainder of the squared radius, `left`, for a row next to the boid's own along one more axis; below zero if the
// sphere does not reach it, or the row does not exist.
float left_beside(float left, int step, float t, uint cell, float cell_size, uint dims, float slack) {
    float gap = gap_to(step, t, cell, cell_size, slack);
    if (WALLS == WALLS_WRAP) {
        // Of two rows, each is on both sides of the other.
        gap = dims < 3u ? 0.0 : gap;
    }
    return cell_beside(cell, step, dims) < dims ? left - gap * gap : -1.0;
}

// The boids of a row on a chord: the first, and the one after the last; z and w the same beyond a wall that wraps.
uvec4 boids_on_chord(Grid grid, float x, uint y, uint z, float half_squared) {
    float half_chord = sqrt(half_squared) + grid.slack;
    uint row = cell_id(grid, uvec3(0u, y, z));
    if (WALLS == WALLS_WRAP) {
        vec2 chord = vec2(x - half_chord, x + half_chord) * grid.inv_cell_size.x;
        uvec4 columns = row + columns_around(chord.x, chord.y, grid.dims.x);
        return uvec4(bounded(uvec2(AT(cell_starts, columns.x), AT(cell_starts, columns.y))),
                     bounded(uvec2(AT(cell_starts, columns.z), AT(cell_starts, columns.w))));
    }
    uint first = row + cell_along(x - half_chord, grid.inv_cell_size.x, grid.dims.x);
    uint last = row + cell_along(x + half_chord, grid.inv_cell_size.x, grid.dims.x);
    return uvec4(bounded(uvec2(AT(cell_starts, first), AT(cell_starts, last + 1u))), 0u, 0u);
}

#endif
