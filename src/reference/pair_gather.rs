//! Twin of `pair_gather.comp`: fetches every boid's state to its place in cell order.

use crate::flock::BoidState;

/// The flock in the order of the pairs.
pub fn pair_gather(pairs: &[[u32; 2]], state: &BoidState) -> BoidState {
    let places = || pairs.iter().map(|&[_, place]| place as usize);
    BoidState {
        position: places().map(|place| state.position[place]).collect(),
        velocity: places().map(|place| state.velocity[place]).collect(),
        id: places().map(|place| state.id[place]).collect(),
    }
}
