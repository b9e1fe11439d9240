//! Neighbor search for eight boids at a time: each lane is a boid, and candidates are tested one by one.
//!
//! Candidates are those that any of the eight needs, about twice as many as for one boid. But one vector tests a candidate
//! for all eight, lanes are not summed, and nine runs are looked up for eight boids instead of one.
//!
//! Runs are first listed, then tested in one loop: the CPU cannot predict where short runs end.

use super::rows::Rows;
use super::state::{Boid, LANES, in_lanes};
use crate::flock::layout::StepParams;
use crate::laws::lanes::Lane;
use crate::laws::{Law, Neighbors, Sums, V3};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, i32x8};
use std::ops::Range;

/// A squared distance beyond every radius. Its inverse is a normal number: subnormal numbers are slow.
const BEYOND: f32 = 1e30;

/// Most candidates that are listed before they are tested.
const LISTED: usize = 512;

/// Candidates that are listed at once: most runs have no more.
const AT_ONCE: usize = 4 * LANES;

/// Candidates in a block: a bit each.
const BLOCK: usize = u64::BITS as usize;

/// The nine rows around some boids, with the first boid of each cell; or none, and every boid is a candidate.
pub type Around<'a, S> = Option<(Rows<'a, S>, &'a [u32])>;

/// The sums over the neighbors of the boids `own` of `flock`, at most eight in one row of cells; other lanes are not valid.
/// `flock` is padded after `params.boid_count` boids, so that eight can be read.
#[inline(always)]
pub fn look<T: Law, S: Simd>(
    simd: S,
    params: &StepParams,
    around: &Around<'_, S>,
    flock: &[Boid],
    own: Range<usize>,
    (own_list, list): &mut (List, List),
) -> T::Sums<f32x8<S>> {
    let eight = Eight::new(simd, params, flock, own.start);
    let mut sums = T::Sums::zero(eight.position.x);
    match around {
        None => eight.list::<T, true>(&mut sums, own_list, 0..params.boid_count),
        Some((rows, starts)) => {
            let runs = rows.runs(&flock[own]);
            let boids = |cells: Range<u32>| starts[cells.start as usize]..starts[cells.end as usize];
            eight.list::<T, true>(&mut sums, own_list, boids(runs.own));
            for cells in runs.around {
                eight.list::<T, false>(&mut sums, list, boids(cells));
            }
        }
    }
    eight.test::<T, true>(&mut sums, own_list);
    eight.test::<T, false>(&mut sums, list);
    eight.add_close::<T>(&mut sums, own_list);
    eight.add_close::<T>(&mut sums, list);
    sums
}

/// Candidates.
pub struct List {
    boids: [i32; LISTED + AT_ONCE],
    used: usize,
    /// One bit per candidate of each block, the last one lowest: clear if it is close to one of the eight. Close candidates are
    /// few and are added at the end, because a branch per candidate would be mispredicted.
    far: [u64; LISTED / BLOCK],
}

impl Default for List {
    fn default() -> Self {
        List { boids: [0; LISTED + AT_ONCE], used: 0, far: [0; LISTED / BLOCK] }
    }
}

/// Eight searching boids.
pub struct Eight<'a, S: Simd> {
    params: &'a StepParams,
    flock: &'a [Boid],
    position: V3<f32x8<S>>,
    /// Where they are in the flock.
    indices: i32x8<S>,
}

impl<'a, S: Simd> Eight<'a, S> {
    /// Those from boid `first` on.
    #[inline(always)]
    pub fn new(simd: S, params: &'a StepParams, flock: &'a [Boid], first: usize) -> Self {
        let position = in_lanes(simd, &flock[first..]).position;
        Eight { params, flock, position, indices: from(simd, first as u32) }
    }

    /// Appends the boids of `run`; if the list is full, its entries are tested and added first.
    #[inline(always)]
    pub fn list<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List, run: Range<u32>) {
        let mut first = run.start;
        while first < run.end {
            if list.used > LISTED - AT_ONCE {
                self.test::<T, OWN>(sums, list);
                self.add_close::<T>(sums, list);
            }
            // Writes all entries and keeps the valid ones, which needs no loop.
            let free = &mut list.boids[list.used..list.used + AT_ONCE];
            for (vector, free) in free.chunks_exact_mut(LANES).enumerate() {
                from(self.indices.simd, first + (vector * LANES) as u32).store_slice(free);
            }
            let count = run.end.min(first + AT_ONCE as u32) - first;
            (first, list.used) = (first + count, list.used + count as usize);
        }
    }

    /// Tests the candidates of a list. With `OWN`, they may include the eight, and a boid is not its own neighbor.
    #[inline(always)]
    pub fn test<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        // A local copy, which the compiler keeps in registers.
        let mut adding = *sums;
        for (block, far) in list.boids[..list.used].chunks(BLOCK).zip(&mut list.far) {
            let mut bits = !0_u64;
            for &i in block {
                let others = self.flock[i as usize].everywhere(self.position.x.simd);
                // In this order the subtraction can read the candidate from memory.
                let offset = -(self.position - others.position);
                let mut squared = offset.length_squared();
                if OWN {
                    squared = self.beyond_self(i, squared);
                }
                let others = Neighbors { velocity: others.velocity, offset, distance_squared: squared };
                T::accumulate(self.params, &mut adding, &others);
                if let Some(is_close) = T::is_close(self.params, squared) {
                    // Whether the mask is empty, in instructions that are fast on Zen 4.
                    let is_far = (is_close.to_bitmask() as u32).wrapping_sub(1) >> 31;
                    bits = (bits << 1) + u64::from(is_far);
                }
            }
            *far = bits;
        }
        *sums = adding;
    }

    /// Adds those of a tested list that are close, and empties it.
    #[inline(always)]
    pub fn add_close<T: Law>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        for (block, &far) in list.boids[..list.used].chunks(BLOCK).zip(&list.far) {
            let mut left = !far;
            while left != 0 {
                let i = block[block.len() - 1 - left.trailing_zeros() as usize];
                left &= left - 1;
                let others = self.flock[i as usize].everywhere(self.position.x.simd);
                let offset = others.position - self.position;
                let distance_squared = self.beyond_self(i, offset.length_squared());
                if let Some(close) = T::is_close(self.params, distance_squared) {
                    let others = Neighbors { velocity: others.velocity, offset, distance_squared };
                    T::accumulate_close(sums, close, &others);
                }
            }
        }
        list.used = 0;
    }

    /// The squared distances to boid `i`, or [`BEYOND`] for the boid itself.
    #[inline(always)]
    fn beyond_self(&self, i: i32, squared: f32x8<S>) -> f32x8<S> {
        Lane::select(self.indices.simd_eq(i), squared.constant(BEYOND), squared)
    }
}

/// Eight consecutive numbers.
#[inline(always)]
fn from<S: Simd>(simd: S, first: u32) -> i32x8<S> {
    i32x8::simd_from(simd, [0, 1, 2, 3, 4, 5, 6, 7]) + first as i32
}
