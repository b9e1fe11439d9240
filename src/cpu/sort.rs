//! A stable counting sort of the flock into cell order, on all cores.
//!
//! # How
//! A bucket is a run of cells that holds about [`BUCKET`] boids of a uniform flock: they fit into the nearest caches.
//!
//! 1. **count**: each thread takes a share of the boids, notes their cells, and counts how many go into each bucket.
//! 2. **scan**: the exclusive sum over buckets, and within a bucket over shares, says where each share puts its boids.
//! 3. **scatter**: the shares put (cell, boid) pairs into the buckets; then each bucket is sorted by cell, by counting
//!    again, and its boids are fetched into place.
//!
//! In a running flock most boids are in the same bucket as the previous boid, so both passes process runs of one
//! bucket: if boids were counted one by one, each addition would wait for the one before.
//!
//! Boids of one cell keep their order, so the result is the same for every number of threads. In a running flock the
//! old order is close to the new one, so pairs and boids are read almost sequentially.

use super::rows::cell_along;
use super::state::{Boid, LANES, State, in_lanes};
use crate::flock::layout::Grid;
use crate::laws::V3;
use fearless_simd::{Level, Simd, f32x8, i32x8};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Boids in a bucket of a uniform flock.
const BUCKET: usize = 4_096;

/// Boids in a share, at least.
const SHARE: usize = 4_096;

/// Shares per thread, so that a delayed thread does not delay all.
const SHARES_PER_THREAD: usize = 4;

/// What the sort needs besides the flock, kept from step to step.
#[derive(Debug, Default)]
pub struct Sorter {
    /// Cell of each boid.
    cells: Vec<u32>,
    /// Cell and boid, by bucket. Each place is written once, by one share; relaxed atomics express this in safe code.
    pairs: Vec<AtomicU64>,
    /// First boid of each cell, and the count of boids at the end.
    starts: Vec<u32>,
}

/// How long each part of a sort took.
#[derive(Clone, Copy, Debug, Default)]
pub struct SortTimes {
    /// Noting cells and counting.
    pub count: Duration,
    /// The exclusive sum.
    pub scan: Duration,
    /// Moving the boids.
    pub scatter: Duration,
}

impl Sorter {
    /// First boid of each cell, and the count of boids at the end, as the last sort left them.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Puts the boids of `from` into `to` in cell order.
    pub fn sort(&mut self, level: Level, grid: &Grid, from: &State, to: &mut State) -> SortTimes {
        let boids = from.count();
        let from = from.padded();
        let all_cells = grid.cell_count as usize;
        let bucket_bits = bucket_bits(all_cells, boids);
        let buckets = ((all_cells - 1) >> bucket_bits) + 1;
        let shares = rayon::current_num_threads() * SHARES_PER_THREAD;
        let share = boids.div_ceil(shares).max(SHARE);
        self.cells.resize(boids, 0);
        self.pairs.resize_with(boids, AtomicU64::default);
        self.starts.resize(all_cells + 1, 0);

        let begun = Instant::now();
        let cells = self.cells.par_chunks_mut(share).enumerate();
        let mut counts: Vec<Vec<u32>> = cells
            .map(|(index, cells)| {
                let mut counts = vec![0; buckets];
                note_cells(level, grid, &from[index * share..], cells);
                for cells in cells.chunk_by(|a, b| a >> bucket_bits == b >> bucket_bits) {
                    counts[(cells[0] >> bucket_bits) as usize] += cells.len() as u32;
                }
                counts
            })
            .collect();
        let counted = Instant::now();

        let mut bucket_starts = Vec::with_capacity(buckets + 1);
        let mut sum = 0;
        for bucket in 0..buckets {
            bucket_starts.push(sum as usize);
            for counts in &mut counts {
                sum += std::mem::replace(&mut counts[bucket], sum);
            }
        }
        bucket_starts.push(sum as usize);
        let scanned = Instant::now();

        let pairs = &self.pairs[..];
        self.cells.par_chunks(share).zip(&mut counts).enumerate().for_each(|(index, (cells, places))| {
            let mut boid = index * share;
            for cells in cells.chunk_by(|a, b| a >> bucket_bits == b >> bucket_bits) {
                let place = &mut places[(cells[0] >> bucket_bits) as usize];
                for (&cell, pair) in cells.iter().zip(&pairs[*place as usize..]) {
                    pair.store(u64::from(cell) << 32 | boid as u64, Ordering::Relaxed);
                    boid += 1;
                }
                *place += cells.len() as u32;
            }
        });
        let parts = uneven_parts(to.boids_mut(), &bucket_starts);
        let starts = self.starts[..all_cells].par_chunks_mut(1 << bucket_bits);
        let work = parts.into_par_iter().zip(starts).zip(&bucket_starts[..buckets]).enumerate();
        work.for_each(|(bucket, ((part, starts), &first))| {
            let pairs = &pairs[first..first + part.len()];
            let of_bucket = bucket << bucket_bits;
            let pair = |pair: &AtomicU64| {
                let pair = pair.load(Ordering::Relaxed);
                ((pair >> 32) as usize - of_bucket, pair as u32 as usize)
            };
            starts.fill(0);
            pairs.iter().for_each(|entry| starts[pair(entry).0] += 1);
            let mut end = first as u32;
            for start in starts.iter_mut() {
                end += *start;
                *start = end;
            }
            // From the last boid to the first, each cell is filled from its end, and the decremented end becomes its
            // start.
            for entry in pairs.iter().rev() {
                let (cell, boid) = pair(entry);
                starts[cell] -= 1;
                part[starts[cell] as usize - first] = from[boid];
            }
        });
        self.starts[all_cells] = boids as u32;
        SortTimes { count: counted - begun, scan: scanned - counted, scatter: scanned.elapsed() }
    }
}

/// Stores the cells of the first `cells.len()` boids, after which at least [`LANES`] more can be read.
fn note_cells(level: Level, grid: &Grid, boids: &[Boid], cells: &mut [u32]) {
    dispatch!(level, simd => simd.vectorize(
        #[inline(always)]
        || for (boids, cells) in boids.windows(LANES).step_by(LANES).zip(cells.chunks_mut(LANES)) {
            let ids: [i32; LANES] = cell_ids(grid, in_lanes(simd, boids).position).into();
            cells.iter_mut().zip(ids).for_each(|(cell, id)| *cell = id as u32);
        },
    ));
}

/// `flock::grid::cell_id` of `cell_of`, in lanes: the same bits.
#[inline(always)]
pub fn cell_ids<S: Simd>(grid: &Grid, positions: V3<f32x8<S>>) -> i32x8<S> {
    let t = positions - grid.origin;
    let x = cell_along(t.x, grid.inv_cell_size.x, grid.dims.x);
    let y = cell_along(t.y, grid.inv_cell_size.y, grid.dims.y);
    let z = cell_along(t.z, grid.inv_cell_size.z, grid.dims.z);
    (y * grid.dims.z as i32 + z) * grid.dims.x as i32 + x
}

/// The boids from each of `bounds` to the next, of which the first is 0 and the last the end.
fn uneven_parts<'a>(boids: &'a mut [Boid], bounds: &[usize]) -> Vec<&'a mut [Boid]> {
    let mut rest = boids;
    let split = |bounds: &[usize]| {
        let (part, behind) = std::mem::take(&mut rest).split_at_mut(bounds[1] - bounds[0]);
        rest = behind;
        part
    };
    bounds.windows(2).map(split).collect()
}

/// A bucket is this power of two of cells.
fn bucket_bits(cells: usize, boids: usize) -> u32 {
    let buckets = boids.div_ceil(BUCKET);
    cells.div_ceil(buckets.max(1)).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::{Settings, spawn};
    use crate::reference;

    /// The twin goes through the boids one by one, so it keeps the order in a cell as well.
    #[test]
    fn it_sorts_as_the_twin_does_with_any_number_of_threads() {
        for boids in [1, 2, 255, 4_095, 4_097, 50_000] {
            let settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids);
            let (grid, start) = (settings.grid(), spawn(&settings));
            let (want, starts) = reference::sort(&grid, &start);
            for threads in [1, 2, 5] {
                let mut from = State::zeros(boids as usize);
                from.set(&start, None);
                let mut to = State::zeros(boids as usize);
                let mut sorter = Sorter::default();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| sorter.sort(Level::new(), &grid, &from, &mut to));
                assert_eq!(to.get(), want, "{boids} boids on {threads} threads");
                assert_eq!(sorter.starts(), starts, "{boids} boids on {threads} threads");
            }
        }
    }
}
