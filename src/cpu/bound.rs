//! The minimum cost of a step's arithmetic on this machine: the bound that the engine's time is compared with.
//!
//! A step must at least find the cell of each boid and its chords through nine rows of cells, test and accumulate each
//! candidate on them, and steer. Each part is timed alone, with the engine's code on ideal data: in the nearest cache, and
//! with eight boids in the same place, so that all need the same candidates. There is no sort, no look-up of runs, no access
//! to distant memory, and hardly a mispredicted branch.
//!
//! A vector holds eight pairs of a boid and a candidate. With one boid and eight candidates, the last vector of each run has
//! idle lanes; with eight boids and one candidate, some boids do not need it. Two and four boids lie between. The bound uses
//! the best of the four; the engine uses eight boids.

use super::Engine;
use super::look::{Eight, List};
use super::rows::Rows;
use super::sort::cell_ids;
use super::state::{Boid, LANES, WIDE, in_lanes};
use super::steer::PART;
use crate::flock::Search;
use crate::flock::grid::cell_of;
use crate::flock::layout::{Grid, StepParams};
use crate::laws::{Boids, Influences, Law, MOST_SUMS, Sums, Wish, with_law};
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

/// How many boids a vector can be of: the rest of its lanes are further candidates of theirs.
pub const FILLS: [usize; 4] = [1, 2, 4, LANES];

/// What a step visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Pairs of a boid and a candidate on its chords.
    pub candidates: u64,
    /// Vectors of eight pairs to test them in, with one, two, four, or (as in the engine) eight boids per vector. Some of their
    /// pairs need no test.
    pub vectors: [u64; FILLS.len()],
}

impl Visits {
    /// The fewest vectors that the pairs can be tested in.
    pub fn fewest_vectors(&self) -> u64 {
        self.vectors.into_iter().min().unwrap_or_default()
    }

    /// The vectors that the engine tests them in.
    pub fn own_vectors(&self) -> u64 {
        self.vectors[FILLS.len() - 1]
    }
}

/// Pairs of boids and candidates, and vectors that hold them.
#[derive(Clone, Copy, Default)]
struct Pairs {
    candidates: u64,
    vectors: u64,
}

/// What the arithmetic costs, in nanoseconds, on one thread while all threads of the engine do the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Of a vector of eight pairs: their tests and their accumulation.
    pub vector_ns: f64,
    /// Of a boid: finding its cell.
    pub cell_ns: f64,
    /// Of a boid: its chords through nine rows.
    pub chords_ns: f64,
    /// Of a boid: its steering.
    pub steering_ns: f64,
}

impl Cost {
    /// One number for each part, made by `statistic` of what it cost each time.
    pub fn of(costs: &[Cost], statistic: impl Fn(&[f64]) -> f64) -> Cost {
        let part = |part: fn(&Cost) -> f64| statistic(&costs.iter().map(part).collect::<Vec<_>>());
        Cost {
            vector_ns: part(|cost| cost.vector_ns),
            cell_ns: part(|cost| cost.cell_ns),
            chords_ns: part(|cost| cost.chords_ns),
            steering_ns: part(|cost| cost.steering_ns),
        }
    }

    /// The least time for a step of `boids` boids on `threads` threads, in milliseconds.
    pub fn bound_ms(&self, visits: Visits, boids: u32, threads: usize) -> f64 {
        let boid_ns = self.cell_ns + self.chords_ns + self.steering_ns;
        (visits.fewest_vectors() as f64 * self.vector_ns + f64::from(boids) * boid_ns) * 1e-6 / threads as f64
    }
}

impl Engine {
    /// What the last step visited.
    pub fn visits(&self) -> Visits {
        let boids = self.before.count();
        if self.settings.search == Search::AllPairs {
            let all = boids as u64;
            return Visits { candidates: all * all, vectors: [all * all.div_ceil(LANES as u64); FILLS.len()] };
        }
        let params = self.settings.step_params(self.step);
        let pairs = FILLS.map(|together| self.pairs(&params, together));
        Visits { candidates: pairs[0].candidates, vectors: pairs.map(|pairs| pairs.vectors) }
    }

    /// The pairs, with candidates that any of `together` boids needs, and the vectors that hold them.
    fn pairs(&self, params: &StepParams, together: usize) -> Pairs {
        let (mut pairs, mut at) = (Pairs::default(), 0);
        while at < self.before.count() {
            let part_end = (at / PART + 1) * PART;
            let end = self.sorter.row_end(&params.grid, &self.before, at).min(part_end).min(at + together);
            for run in self.candidates(params, at..end) {
                pairs.candidates += (run.len() * (end - at)) as u64;
                pairs.vectors += run.len().div_ceil(LANES / together) as u64;
            }
            at = end;
        }
        pairs
    }

    /// The runs of candidates of some boids in one row.
    fn candidates(&self, params: &StepParams, boids: Range<usize>) -> Vec<Range<usize>> {
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
        let params = self.settings.step_params(self.step);
        let packed = self.pack(&params);
        let (level, law) = (self.level, self.settings.law);
        let rows = self.settings.search != Search::AllPairs;
        let costs = self.pool.broadcast(|_| {
            let vectors = ROUNDS * SAMPLES * packed.each;
            let vector_ns = time(vectors, || {
                with_law!(law, T => dispatch!(level, simd => simd.vectorize(
                    #[inline(always)]
                    || test_packed::<T, _>(simd, &params, &packed),
                )));
            });
            let steering_ns = time(2 * ROUNDS * SAMPLES * LANES, || {
                with_law!(law, T => dispatch!(level, simd => simd.vectorize(
                    #[inline(always)]
                    || steer_packed::<T, _>(simd, &params, &packed, 2 * ROUNDS),
                )));
            });
            // All pairs need no cells or chords.
            let [cell_ns, chords_ns] = if rows {
                let boids = ROUNDS * SAMPLES * LANES;
                [
                    time(boids, || {
                        dispatch!(level, simd => simd.vectorize(
                            #[inline(always)]
                            || find_cells(simd, &params.grid, &packed),
                        ));
                    }),
                    time(boids, || {
                        dispatch!(level, simd => simd.vectorize(
                            #[inline(always)]
                            || find_chords(simd, &params, &packed),
                        ));
                    }),
                ]
            } else {
                [0.0; 2]
            };
            Cost { vector_ns, cell_ns, chords_ns, steering_ns }
        });
        Cost::of(&costs, |times| times.iter().sum::<f64>() / times.len() as f64)
    }

    /// Boids from some places of the flock with their candidates: of a boid with few, the same ones again.
    fn pack(&self, params: &StepParams) -> Packed {
        let flock = self.before.boids();
        let lists: Vec<(usize, Vec<usize>)> = (0..SAMPLES)
            .map(|sample| {
                let boid = (2 * sample + 1) * flock.len() / (2 * SAMPLES);
                let list = match self.settings.search {
                    Search::AllPairs => (0..flock.len()).collect(),
                    _ => self.candidates(params, boid..boid + 1).into_iter().flatten().collect(),
                };
                (boid, list)
            })
            .collect();
        let each = lists.iter().map(|(_, list)| list.len()).max().unwrap_or_default().clamp(LANES, MOST);
        let mut boids = Vec::new();
        lists.iter().for_each(|&(boid, _)| boids.extend([flock[boid]; LANES]));
        for (boid, list) in &lists {
            // A boid whose position is NaN has no candidates.
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

/// Nanoseconds per item of `work`, which processes `count` items.
fn time(count: usize, work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_nanos() as f64 / count as f64
}

#[inline(always)]
fn find_cells<S: Simd>(simd: S, grid: &Grid, packed: &Packed) {
    let grid = &{ *grid };
    for sample in 0..SAMPLES {
        let boids: Boids<f32x8<S>> = in_lanes(simd, &packed.boids[sample * LANES..]);
        for _ in 0..ROUNDS {
            black_box(cell_ids(grid, black_box(boids.position)));
        }
    }
}

#[inline(always)]
fn find_chords<S: Simd>(simd: S, params: &StepParams, packed: &Packed) {
    let grid = &{ params.grid };
    for sample in 0..SAMPLES {
        let boids = &packed.boids[sample * LANES..(sample + 1) * LANES];
        let cell = cell_of(grid, boids[0].position);
        let rows = Rows::around(simd, grid, params.rules.search_radius, cell.y, cell.z);
        for _ in 0..ROUNDS {
            black_box(rows.runs(black_box(boids)));
        }
    }
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
            black_box(T::want(params, &me, &sums).moved(params, &me, &Influences::NONE));
        }
    }
}
