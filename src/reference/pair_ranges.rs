//! Twin of `pair_ranges.comp`: where each cell's boids begin and end in the sorted pairs.

use crate::flock::steppers::EMPTY_CELL;

/// Begin and end of each of `cells` cells; an empty one has [`EMPTY_CELL`] in place of both.
pub fn pair_ranges(pairs: &[[u32; 2]], cells: u32) -> Vec<[u32; 2]> {
    let mut ranges = vec![[EMPTY_CELL; 2]; cells as usize];
    for (&[cell, _], place) in pairs.iter().zip(0..) {
        let range = &mut ranges[cell as usize];
        let begin = if range[0] == EMPTY_CELL { place } else { range[0] };
        *range = [begin, place + 1];
    }
    ranges
}
