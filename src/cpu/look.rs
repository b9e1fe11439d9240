//! Eight boids look at their neighbors together: each lane is a boid, and the candidates come one by one.
//!
//! Candidates are what any of the eight needs, about twice as many as one of them alone; but a candidate is one
//! vector for all eight, no lane is ever added to another, and nine runs are looked up for eight boids rather than for one.
//!
//! Runs are listed first and tested then, in one loop: where a short run ends the processor cannot foresee, and each of nine
//! loops would make it drop what it has begun.

use super::rows::Rows;
use super::state::{Boid, LANES, in_lanes};
use crate::flock::layout::StepParams;
use crate::laws::lanes::Lane;
use crate::laws::{Law, Neighbors, Sums, V3};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, i32x8};
use std::ops::Range;

/// A squared distance that no radius reaches, and whose inverse is an ordinary number: others take a processor long.
const BEYOND: f32 = 1e30;

/// Candidates that are listed before they are tested, at most.
const LISTED: usize = 512;

/// Candidates that are listed at once: most runs have no more.
const AT_ONCE: usize = 4 * LANES;

/// Candidates in a block: a bit each.
const BLOCK: usize = u64::BITS as usize;

/// The nine rows around some boids, with the first boid of each cell; or none, and every boid is a candidate.
pub type Around<'a, S> = Option<(Rows<'a, S>, &'a [u32])>;

/// The sums over the neighbors of the boids `own` of `flock`, at most eight in one row of cells. Lanes behind them are of no
/// use. `flock` has some boids more than the `params.boid_count` that count, so that there are eight.
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
    /// A bit for each candidate of each block, the last one's lowest: clear if it is close to one of the eight. Those are
    /// added in the end. They are few, and a branch at each candidate would be as hard to foresee.
    far: [u64; LISTED / BLOCK],
}

impl Default for List {
    fn default() -> Self {
        List { boids: [0; LISTED + AT_ONCE], used: 0, far: [0; LISTED / BLOCK] }
    }
}

/// Eight boids that look.
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

    /// Lists the boids of `run`; should the list be full, those in it are tested and added.
    #[inline(always)]
    pub fn list<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List, run: Range<u32>) {
        let mut first = run.start;
        while first < run.end {
            if list.used > LISTED - AT_ONCE {
                self.test::<T, OWN>(sums, list);
                self.add_close::<T>(sums, list);
            }
            // All are written and those that count are kept, which needs no loop.
            let free = &mut list.boids[list.used..list.used + AT_ONCE];
            for (vector, free) in free.chunks_exact_mut(LANES).enumerate() {
                from(self.indices.simd, first + (vector * LANES) as u32).store_slice(free);
            }
            let count = run.end.min(first + AT_ONCE as u32) - first;
            (first, list.used) = (first + count, list.used + count as usize);
        }
    }

    /// Tests the candidates of a list. There may be some of the eight among them if `OWN`: nobody is a neighbor of itself.
    #[inline(always)]
    pub fn test<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        // A copy of its own, which the compiler keeps in registers.
        let mut adding = *sums;
        for (block, far) in list.boids[..list.used].chunks(BLOCK).zip(&mut list.far) {
            let mut bits = !0_u64;
            for &i in block {
                let others = self.flock[i as usize].everywhere(self.position.x.simd);
                // This way round the candidate is read by the instruction that subtracts.
                let offset = -(self.position - others.position);
                let mut squared = offset.length_squared();
                if OWN {
                    squared = self.beyond_self(i, squared);
                }
                let others = Neighbors { velocity: others.velocity, offset, distance_squared: squared };
                T::accumulate(self.params, &mut adding, &others);
                if let Some(is_close) = T::is_close(self.params, squared) {
                    // Whether the mask is empty, in the instructions that take a Zen 4 the least.
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

    /// The squared distances to boid `i`, who is out of its own reach.
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
