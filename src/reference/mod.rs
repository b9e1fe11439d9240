//! CPU twins of the kernels, under the same names: the reference of the tests.
//!
//! | kernel | twin | arithmetic |
//! |---|---|---|
//! | `grid_count.comp` | [`grid_count`] | single precision, the same bits as the kernel |
//! | `scan_reduce.comp`, `scan_spine.comp`, `scan_downsweep.comp` | [`scan_reduce`], [`scan_spine`], [`scan_downsweep`] | integers |
//! | `sort_list.comp` | [`sort_list`] | copies |
//! | `sort_scatter.comp` | [`sort_scatter`] | copies |
//! | `steer.comp`, `laws/`, `include/motion.glsl` and what it includes | [`steer`], with [`laws`](crate::laws) and [`Ordered`] | double precision, one lane; states are stored in single precision. Which side of a wall is single precision |
//! | `pair_cells.comp`, `bitonic_local.comp`, `bitonic_exchange.comp`, `bitonic_merge.comp`, `pair_ranges.comp`, `pair_gather.comp` | [`pair_cells`], [`bitonic`], [`pair_ranges`], [`pair_gather`] | integers and copies |
//! | `coloring.glsl` | [`coloring`], the colors that can be tested | integers, and cells by the same bits |
//! | `observe.comp`, `order_reduce.comp`, `order_mean.comp`, `milling_reduce.comp`, `milling_mean.comp` | [`order`] | double precision |
//! | `include/closest_in_rows.glsl`, `include/closest_of_all.glsl` | [`closest`](crate::laws::closest) | single precision, the same bits as the kernel |
//! | `find_leader.comp` | [`find_leader`] | a copy |
//! | `cull.comp` | [`cull`] | single precision; borders may be rounded the other way |
//! | `splat.glsl`, `pose.glsl` | [`splat`], [`pose`], depths only | single precision; samples on an edge may be rounded the other way |
//! | `mirror.comp` | [`mirror`] | single precision; a boid on a texel's border may be rounded the other way |
//! | `trail_record.comp`, `trail_cull.comp` | [`trails`] | single precision; borders may be rounded the other way |
//! | `value_histogram.comp` | [`value_histogram`] | counts; the bin of a speed on an edge may be rounded the other way |
//!
//! Which boid of a cell gets which rank is up to a device's atomics, so a device's list of each cell is checked against
//! its own ranks, and its ranks against [`grid_count::check`]. The sorted flock does not depend on them.
//!
//! Laws and motion are in [`laws`](crate::laws), which the CPU engine uses too, so tests compare them with values
//! calculated by hand.
//!
//! All twins that take long run on the thread pool of `rayon`; to use one thread, call them inside
//! [`rayon::ThreadPool::install`] of a pool of one.

pub mod bitonic;
pub mod coloring;
pub mod cull;
pub mod find_leader;
pub mod grid_count;
pub mod mirror;
pub mod order;
mod ordered;
pub mod outcomes;
pub mod pair_cells;
pub mod pair_gather;
pub mod pair_ranges;
pub mod pose;
pub mod scan_downsweep;
pub mod scan_reduce;
pub mod scan_spine;
mod searches;
pub mod shelter;
pub mod sort_list;
pub mod sort_scatter;
pub mod splat;
pub mod steer;
pub mod trails;
pub mod transition;
pub mod value_histogram;

pub use ordered::{Ordered, Quantized, sort};
pub use searches::cells;

use crate::flock::{BoidState, Search, Settings};

/// Moves the flock by step number `step`, as the kernels do: afterwards the boids are in the order that the search
/// sorts them into.
pub fn step(settings: &Settings, state: &mut BoidState, step: u32) {
    step_with(settings, state, step, settings.search);
}

/// The same with another search.
pub fn step_with(settings: &Settings, state: &mut BoidState, step: u32, search: Search) {
    let settings = &Settings { search, ..settings.clone() };
    let params = &settings.step_params(step);
    let ordered = Ordered::of(settings, state);
    let moved = steer::steer(settings, params, &ordered);
    *state = ordered.flock;
    steer::store(moved, state);
}
