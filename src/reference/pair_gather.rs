//! Twin of `pair_gather.comp`: fetches every boid's state to its place in cell order.

use crate::flock::BoidState;

/// The flock in the order of the pairs.
pub fn pair_gather(pairs: &[[u32; 2]], state: &BoidState) -> BoidState {
    state.in_order(&pairs.iter().map(|&[_, place]| place).collect::<Vec<_>>())
}
