//! What the arithmetic of a step costs at the least on this machine: the bound that the engine is held against.
//!
//! A step cannot do with less than one test and one accumulation for each candidate, and one steering for each boid. Both
//! are run here on data that suits them best: candidates of a few boids packed side by side in the nearest cache, eight full
//! lanes to a vector, one loop, no search, no sort. What the engine takes longer than that goes into finding candidates,
//! into lanes that are left empty at the ends of runs, into adding lanes, sorting, and waiting for memory.

use super::Engine;
use super::rows::{ROWS, Rows};
use super::state::{LANES, Part, State, View};
use crate::flock::Search;
use crate::flock::layout::StepParams;
use crate::reference::laws::with_law;
use crate::reference::steer::{Boids, Law, Sums};
use crate::reference::walls::meet_walls;
use fearless_simd::{Simd, dispatch, f32x8};
use std::hint::black_box;
use std::time::Instant;

/// Boids whose candidates are packed: as many as leave them in the nearest cache.
const SAMPLES: usize = 8;

/// Candidates of a boid that are packed, at most.
const MOST: usize = 128;

/// Times that the packed candidates are gone through.
const ROUNDS: usize = 256;

/// What a step visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Pairs of a boid and a candidate.
    pub candidates: u64,
    /// Vectors of eight that they are tested in.
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
        let boids = self.before.boids();
        if self.settings.search == Search::AllPairs {
            let each = boids as u64;
            return Visits { candidates: each * each, vectors: each * each.div_ceil(LANES as u64) };
        }
        let mut visits = Visits::default();
        self.candidates((0..boids).step_by(LANES), |_, first, end| {
            visits.candidates += u64::from(end - first);
            visits.vectors += u64::from((end - first).div_ceil(LANES as u32));
        });
        visits
    }

    /// Calls `visit` with each run of candidates of eight boids from each of `firsts` on, and the boid.
    fn candidates(&self, firsts: impl Iterator<Item = usize>, mut visit: impl FnMut(usize, u32, u32)) {
        let params = self.settings.step_params(self.step);
        let (boids, starts) = (self.before.boids(), self.sorter.starts());
        for first in firsts {
            let positions = self.before.view();
            let rows = dispatch!(self.level, simd => {
                Rows::around(&params.grid, params.rules.search_radius, positions.positions(simd, first))
            });
            for boid in 0..LANES.min(boids - first) {
                for row in 0..ROWS {
                    let run = rows.run(row, boid, starts);
                    visit(first + boid, run.first, run.end);
                }
            }
        }
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
            let rounds = ROUNDS / 4;
            with_law!(law, T => dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || steer_packed::<T, _>(simd, &params, packed.candidates.view(), rounds),
            )));
            let candidates = (ROUNDS * packed.candidates.boids()) as f64;
            let boids = (rounds * SAMPLES * LANES) as f64;
            Cost {
                candidate_ns: (tested - begun).as_nanos() as f64 / candidates,
                boid_ns: tested.elapsed().as_nanos() as f64 / boids,
            }
        });
        let mean = |cost: fn(&Cost) -> f64| costs.iter().map(cost).sum::<f64>() / costs.len() as f64;
        Cost { candidate_ns: mean(|cost| cost.candidate_ns), boid_ns: mean(|cost| cost.boid_ns) }
    }

    fn pack(&self) -> Packed {
        let boids = self.before.boids();
        let mut lists: Vec<(usize, Vec<usize>)> = Vec::new();
        let samples: Vec<usize> = (0..SAMPLES).map(|k| (2 * k + 1) * boids / (2 * SAMPLES)).collect();
        for &sample in &samples {
            let mut list = Vec::new();
            if self.settings.search == Search::AllPairs {
                list.extend(0..boids);
            } else {
                self.candidates(std::iter::once(sample), |boid, first, end| {
                    if boid == sample {
                        list.extend(first as usize..end as usize);
                    }
                });
            }
            // Whole vectors only; of a boid with few candidates, the same ones again.
            let few = list.len().max(1);
            let whole = (list.len() / LANES * LANES).clamp(LANES, MOST);
            lists.push((sample, (0..whole).map(|k| list.get(k % few).copied().unwrap_or(sample)).collect()));
        }
        let mut candidates = State::zeros(lists.iter().map(|(_, list)| list.len()).sum());
        let count = candidates.boids();
        let mut part: Vec<(Part<'_>, _)> = candidates.uneven_parts(std::iter::once(count));
        let indices = lists.iter().flat_map(|(_, list)| list);
        indices.enumerate().for_each(|(to, &from)| part[0].0.copy(to, &self.before.view(), from));
        drop(part);
        let mut samples = State::zeros(SAMPLES);
        let mut part = samples.uneven_parts(std::iter::once(SAMPLES));
        lists.iter().enumerate().for_each(|(to, (from, _))| part[0].0.copy(to, &self.before.view(), *from));
        drop(part);
        Packed { samples, candidates, lengths: lists.iter().map(|(_, list)| list.len()).collect() }
    }
}

/// A few boids, and behind each other the candidates of each, in whole vectors.
struct Packed {
    samples: State,
    candidates: State,
    lengths: Vec<usize>,
}

#[inline(always)]
fn test_packed<T: Law, S: Simd>(simd: S, params: &StepParams, packed: &Packed) {
    let params = &{ *params };
    let (samples, candidates) = (packed.samples.view(), packed.candidates.view().of_one_length());
    for _ in 0..ROUNDS {
        let mut first = 0;
        for (boid, &length) in packed.lengths.iter().enumerate() {
            let position = samples.position(simd, boid);
            let mut sums = T::Sums::zero(position.x);
            for at in (first..first + length).step_by(LANES) {
                let offset = candidates.positions(simd, at) - position;
                let others = Boids { position: position + offset, velocity: candidates.velocities(simd, at) };
                T::accumulate(params, &mut sums, &others, offset, offset.length_squared());
            }
            black_box(sums);
            first += length;
        }
    }
}

#[inline(always)]
fn steer_packed<T: Law, S: Simd>(simd: S, params: &StepParams, boids: View<'_>, rounds: usize) {
    let params = &{ *params };
    let boids = boids.of_one_length();
    for _ in 0..rounds {
        for first in 0..SAMPLES {
            let me = Boids { position: boids.positions(simd, first), velocity: boids.velocities(simd, first) };
            let mut numbers = [me.velocity.x; super::steer::MOST_SUMS];
            let count = <T::Sums<f32x8<S>> as Sums<f32x8<S>>>::COUNT;
            numbers[1] = me.velocity.y;
            let sums = T::Sums::take(&black_box(numbers)[..count]);
            black_box(meet_walls(params, T::steer(params, &me, &sums)));
        }
    }
}
