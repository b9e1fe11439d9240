//! What the arithmetic of a step costs at the least on this machine: the bound that the engine is held against.
//!
//! A step cannot do with less than one test and one accumulation for each boid and each candidate on its own chords, and
//! one steering for each boid. Both are run here, by the code of the engine, on data that suits them best: eight boids in the
//! same place, so that each needs what any of them needs, and their candidates behind each other in the nearest cache. There
//! is no search and no sort. What the engine takes longer than that goes into candidates that only another of eight boids
//! needs, into finding them, sorting, and waiting for memory.

use super::Engine;
use super::look::{Eight, List};
use super::rows::Rows;
use super::state::{Boid, LANES, WIDE, in_lanes};
use super::steer::{MOST_SUMS, PART};
use crate::flock::Search;
use crate::flock::grid::cell_of;
use crate::flock::layout::StepParams;
use crate::reference::laws::with_law;
use crate::reference::steer::{Boids, Law, Sums};
use crate::reference::walls::meet_walls;
use fearless_simd::prelude::*;
use fearless_simd::{Simd, dispatch, f32x8, f32x16};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

/// Boids whose candidates are packed: as many as leave them in the nearest cache.
const SAMPLES: usize = 4;

/// Candidates of a boid that are packed, at most.
const MOST: usize = 128;

/// Times that the packed candidates are gone through.
const ROUNDS: usize = 256;

/// What a step visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Pairs of a boid and a candidate on its chords.
    pub candidates: u64,
    /// Vectors of eight pairs that they are tested in. The rest of their pairs nobody would have to test.
    pub vectors: u64,
}

/// What the arithmetic costs, in nanoseconds, on one thread while all threads of the engine do the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Of a candidate: its test and its accumulation.
    pub candidate_ns: f64,
    /// Of a boid: its steering.
    pub boid_ns: f64,
}

impl Cost {
    /// The least time for a step of `boids` boids on `threads` threads, in milliseconds.
    pub fn bound_ms(&self, visits: Visits, boids: u32, threads: usize) -> f64 {
        (visits.candidates as f64 * self.candidate_ns + f64::from(boids) * self.boid_ns) * 1e-6 / threads as f64
    }
}

impl Engine {
    /// What the last step visited.
    pub fn visits(&self) -> Visits {
        let boids = self.before.count();
        if self.settings.search == Search::AllPairs {
            let all = boids as u64;
            return Visits { candidates: all * all, vectors: all * all.div_ceil(LANES as u64) };
        }
        let count = |runs: &[Range<usize>]| runs.iter().map(|run| run.len() as u64).sum::<u64>();
        let grid = self.settings.step_params(self.step).grid;
        let (mut visits, mut at) = (Visits::default(), 0);
        while at < boids {
            let part_end = (at / PART + 1) * PART;
            let end = self.sorter.row_end(&grid, &self.before, at).min(part_end).min(at + LANES);
            visits.vectors += count(&self.candidates(at..end));
            visits.candidates += (at..end).map(|boid| count(&self.candidates(boid..boid + 1))).sum::<u64>();
            at = end;
        }
        visits
    }

    /// The runs of candidates of some boids in one row.
    fn candidates(&self, boids: Range<usize>) -> Vec<Range<usize>> {
        let params = self.settings.step_params(self.step);
        let (starts, boids) = (self.sorter.starts(), &self.before.boids()[boids]);
        let cell = cell_of(&params.grid, boids[0].position);
        let runs = dispatch!(self.level, simd => {
            Rows::around(simd, &params.grid, params.rules.search_radius, cell.y, cell.z).runs(boids)
        });
        let start = |cell: u32| starts[cell as usize] as usize;
        std::iter::once(runs.own).chain(runs.around).map(|cells| start(cells.start)..start(cells.end)).collect()
    }

    /// Measures what the arithmetic of the flock's law costs, on the boids of the last step.
    pub fn cost(&self) -> Cost {
        let packed = self.pack();
        let params = self.settings.step_params(self.step);
        let (level, law) = (self.level, self.settings.law);
        let costs = self.pool.broadcast(|_| {
            let begun = Instant::now();
            with_law!(law, T => dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || test_packed::<T, _>(simd, &params, &packed),
            )));
            let tested = Instant::now();
            let rounds = 2 * ROUNDS;
            with_law!(law, T => dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || steer_packed::<T, _>(simd, &params, &packed, rounds),
            )));
            let candidates = (ROUNDS * SAMPLES * LANES * packed.each) as f64;
            let boids = (rounds * SAMPLES * LANES) as f64;
            Cost {
                candidate_ns: (tested - begun).as_nanos() as f64 / candidates,
                boid_ns: tested.elapsed().as_nanos() as f64 / boids,
            }
        });
        let mean = |cost: fn(&Cost) -> f64| costs.iter().map(cost).sum::<f64>() / costs.len() as f64;
        Cost { candidate_ns: mean(|cost| cost.candidate_ns), boid_ns: mean(|cost| cost.boid_ns) }
    }

    /// Boids from some places of the flock with their candidates: of a boid with few, the same ones again.
    fn pack(&self) -> Packed {
        let flock = self.before.boids();
        let lists: Vec<(usize, Vec<usize>)> = (0..SAMPLES)
            .map(|sample| {
                let boid = (2 * sample + 1) * flock.len() / (2 * SAMPLES);
                let list = match self.settings.search {
                    Search::AllPairs => (0..flock.len()).collect(),
                    _ => self.candidates(boid..boid + 1).into_iter().flatten().collect(),
                };
                (boid, list)
            })
            .collect();
        let each = lists.iter().map(|(_, list)| list.len()).max().unwrap_or_default().clamp(LANES, MOST);
        let mut boids = Vec::new();
        lists.iter().for_each(|&(boid, _)| boids.extend([flock[boid]; LANES]));
        for (boid, list) in &lists {
            // A boid that is nowhere, for lack of a number, has no candidates.
            boids.extend((0..each).map(|k| flock[*list.get(k % list.len().max(1)).unwrap_or(boid)]));
        }
        Packed { boids, each }
    }
}

/// Some boids, eight times each, and behind them the candidates of each, of which there are `each`.
struct Packed {
    boids: Vec<Boid>,
    each: usize,
}

#[inline(always)]
fn test_packed<T: Law, S: Simd>(simd: S, params: &StepParams, packed: &Packed) {
    let params = &{ *params };
    let mut list = List::default();
    for _ in 0..ROUNDS {
        for sample in 0..SAMPLES {
            let first = SAMPLES * LANES + sample * packed.each;
            let eight = Eight::new(simd, params, black_box(&packed.boids), sample * LANES);
            let mut sums = T::Sums::zero(f32x8::splat(simd, 0.0));
            eight.list::<T, false>(&mut sums, &mut list, first as u32..(first + packed.each) as u32);
            eight.test::<T, false>(&mut sums, &mut list);
            eight.add_close::<T>(&mut sums, &mut list);
            black_box(sums);
        }
    }
}

#[inline(always)]
fn steer_packed<T: Law, S: Simd>(simd: S, params: &StepParams, packed: &Packed, rounds: usize) {
    let params = &{ *params };
    for _ in 0..rounds {
        for first in (0..SAMPLES * LANES).step_by(WIDE) {
            let me: Boids<f32x16<S>> = in_lanes(simd, &packed.boids[first..]);
            let mut numbers = [me.velocity.x; MOST_SUMS];
            let count = <T::Sums<f32x16<S>> as Sums<f32x16<S>>>::COUNT;
            numbers[1] = me.velocity.y;
            let sums = T::Sums::take(&black_box(numbers)[..count]);
            black_box(meet_walls(params, T::steer(params, &me, &sums)));
        }
    }
}
