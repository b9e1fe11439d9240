//! Each boid looks at its neighbors and moves by one time step: a law of `reference::laws`, eight boids at a time.
//!
//! Three loops, one inside the other. Eight boids find out together which runs of boids to test. Each of them tests its
//! own candidates, eight at a time, and adds up; the eight lanes are then added to one. And the eight boids, with a sum
//! each, are steered together.

use super::rows::{ROWS, Rows, Run};
use super::state::{LANES, Part, State, View};
use crate::flock::layout::{MovementWeights, StepParams};
use crate::reference::closest;
use crate::reference::follow::follow;
use crate::reference::lanes::{Lane, V3};
use crate::reference::steer::{Boids, Law, Sums};
use crate::reference::walls::meet_walls;
use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8, i32x8, mask32x8};
use glam::Vec3;
use rayon::prelude::*;

/// Boids that a thread steers in one go.
const PART: usize = 32 * LANES;

/// A squared distance that no radius reaches, and whose inverse is an ordinary number: others take a processor long.
const BEYOND: f32 = 1e30;

/// Numbers that a law adds up, at most.
pub const MOST_SUMS: usize = 16;

/// Vectors of candidates that are listed before they are tested.
const LIST: usize = 64;

/// Vectors that a run adds to the list without a loop.
const AT_ONCE: usize = 4;

/// Who must be tested.
#[derive(Clone, Copy)]
pub enum Candidates<'a> {
    /// Every boid.
    All,
    /// The boids of nine rows of a flock in cell order, with the first boid of each cell.
    Rows(&'a [u32]),
}

/// What boids heed besides their law.
#[derive(Clone, Copy)]
pub struct Heed<'a> {
    /// How much each boid heeds, by identity.
    pub weights: &'a [MovementWeights],
    /// Where the leader was before the step, if there is one.
    pub leader: Option<Vec3>,
}

impl Heed<'_> {
    /// Eight boids, from boid `first` of `before` on, as their law moved them to `moved`, once they have heeded it.
    #[inline(always)]
    fn follow<S: Simd>(
        &self,
        params: &StepParams,
        before: &State,
        (first, count): (usize, usize),
        positions: V3<f32x8<S>>,
        moved: Boids<f32x8<S>>,
    ) -> Boids<f32x8<S>> {
        let simd = positions.x.simd;
        let (mut target, mut leader, mut current) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (lane, &id) in before.id[first..first + count].iter().enumerate() {
            let own = self.weights[id as usize];
            (target[lane], leader[lane], current[lane]) = (own.target, own.leader, own.current);
        }
        let eight = f32x8::simd_from;
        let weights = V3::new(eight(simd, target), eight(simd, leader), eight(simd, current));
        follow(params, weights, self.leader, positions, moved)
    }
}

/// Moves all boids of `before` into `after`, which has as many.
pub fn steer<T: Law>(
    level: Level,
    params: &StepParams,
    candidates: Candidates<'_>,
    heed: Option<Heed<'_>>,
    before: &State,
    after: &mut State,
) {
    after.parts(PART).enumerate().for_each(|(index, part)| {
        let first = index * PART;
        dispatch!(level, simd => simd.vectorize(
            #[inline(always)]
            || steer_part::<T, _>(simd, params, (candidates, heed), before, first, part),
        ));
    });
}

/// Moves the boids from `first` on into `after`.
#[inline(always)]
fn steer_part<T: Law, S: Simd>(
    simd: S,
    params: &StepParams,
    (candidates, heed): (Candidates<'_>, Option<Heed<'_>>),
    flock: &State,
    first: usize,
    mut after: Part<'_>,
) {
    // A copy of its own: behind a reference the compiler would read each constant anew for each vector.
    let params = &{ *params };
    let before = flock.view().of_one_length();
    let mut list = List::default();
    for done in (0..after.boids()).step_by(LANES) {
        let count = (after.boids() - done).min(LANES);
        let positions = before.positions(simd, first + done);
        let rows = match candidates {
            Candidates::All => None,
            Candidates::Rows(starts) => {
                Some((Rows::around(&params.grid, params.rules.search_radius, positions), starts))
            }
        };
        let mut totals = [[0.0; LANES]; MOST_SUMS];
        for boid in 0..count {
            let mut looking = Looking::<T, S>::new(simd, params, before, first + done + boid);
            match &rows {
                None => {
                    // Behind the last boid are eight that are no number, and nobody's neighbors.
                    let boids = params.boid_count;
                    looking.test_run(&mut list, Run { first: 0, end: boids, row_end: boids + LANES as u32 });
                }
                Some((rows, starts)) => {
                    for row in 0..ROWS {
                        looking.test_run(&mut list, rows.run(row, boid, starts));
                    }
                }
            }
            looking.test_listed(&mut list);
            looking.add_lanes(boid, &mut totals);
        }
        let count_of_sums = <T::Sums<f32x8<S>> as Sums<f32x8<S>>>::COUNT;
        let mut numbers = [positions.x; MOST_SUMS];
        for (number, totals) in numbers[..count_of_sums].iter_mut().zip(totals) {
            *number = f32x8::simd_from(simd, totals);
        }
        let mut sums = T::Sums::take(&numbers[..count_of_sums]);
        let me = Boids { position: positions, velocity: before.velocities(simd, first + done) };
        if let Some(lonely) = T::wants_closest(&sums)
            && lonely.any_true()
        {
            let found = Found::closest(params, candidates, flock, first + done, count, lonely.to_bitmask());
            found.add::<T, S>(simd, &mut sums, &me);
        }
        let mut moved = meet_walls(params, T::steer(params, &me, &sums));
        if let Some(heed) = heed {
            moved = heed.follow(params, flock, (first + done, count), positions, moved);
        }
        after.store(done, count, moved);
    }
}

/// The boids closest to some of eight, one by one: few boids are alone.
#[derive(Default)]
struct Found {
    /// Bit k is set if there is one for number k.
    mask: u64,
    position: [[f32; LANES]; 3],
    velocity: [[f32; LANES]; 3],
}

impl Found {
    /// Those closest to the first `count` boids from `first` on whose bits are set in `lonely`.
    fn closest(
        params: &StepParams,
        candidates: Candidates<'_>,
        flock: &State,
        first: usize,
        count: usize,
        lonely: u64,
    ) -> Found {
        let mut found = Found::default();
        for lane in (0..count).filter(|lane| lonely >> lane & 1 == 1) {
            let closest = match candidates {
                Candidates::All => closest::of_all(flock, first + lane),
                Candidates::Rows(starts) => closest::in_rows(&params.grid, starts, flock, first + lane),
            };
            if let Some(other) = closest {
                found.mask |= 1 << lane;
                for axis in 0..3 {
                    found.position[axis][lane] = flock.position(other)[axis];
                    found.velocity[axis][lane] = flock.velocity(other)[axis];
                }
            }
        }
        found
    }

    #[inline(always)]
    fn add<T: Law, S: Simd>(&self, simd: S, sums: &mut T::Sums<f32x8<S>>, me: &Boids<f32x8<S>>) {
        let eight = f32x8::simd_from;
        let ([x, y, z], [vx, vy, vz]) = (self.position, self.velocity);
        let others = Boids {
            position: V3::new(eight(simd, x), eight(simd, y), eight(simd, z)),
            velocity: V3::new(eight(simd, vx), eight(simd, vy), eight(simd, vz)),
        };
        let mask = mask32x8::from_bitmask(simd, self.mask);
        T::add_closest(sums, mask, &others, others.position - me.position);
    }
}

/// Vectors of candidates yet to be tested, by their first boids. A boid's runs are listed first and tested then, in one
/// loop: where a short run ends the processor cannot foretell, and each of nine loops would make it start over.
struct List {
    first: [u32; LIST + AT_ONCE],
    used: usize,
}

impl Default for List {
    fn default() -> Self {
        List { first: [0; LIST + AT_ONCE], used: 0 }
    }
}

/// A boid that looks at its neighbors.
struct Looking<'a, T: Law, S: Simd> {
    params: &'a StepParams,
    flock: View<'a>,
    position: V3<f32x8<S>>,
    /// Its own index less the number of the lane: the first boid of a vector that has it in this lane.
    own: i32x8<S>,
    sums: T::Sums<f32x8<S>>,
}

impl<'a, T: Law, S: Simd> Looking<'a, T, S> {
    #[inline(always)]
    fn new(simd: S, params: &'a StepParams, flock: View<'a>, boid: usize) -> Self {
        let position = flock.position(simd, boid);
        let own = i32x8::splat(simd, boid as i32) - lanes(simd);
        Looking { params, flock, position, own, sums: T::Sums::zero(position.x) }
    }

    /// Lists the vectors of a run. Its last one may reach beyond it, over boids too far away to count; should it
    /// reach into the next row it is tested at once, lane by lane, because there might be neighbors of another run.
    #[inline(always)]
    fn test_run(&mut self, list: &mut List, run: Run) {
        let Run { first, end, row_end } = run;
        let mut vectors = (end - first).div_ceil(LANES as u32) as usize;
        if first as usize + vectors * LANES > row_end as usize {
            vectors -= 1;
            self.test_lanes(first as usize + vectors * LANES, end);
        }
        let mut at = first;
        while vectors > AT_ONCE {
            self.list(list, at, AT_ONCE);
            (at, vectors) = (at + (AT_ONCE * LANES) as u32, vectors - AT_ONCE);
        }
        self.list(list, at, vectors);
    }

    #[inline(always)]
    fn list(&mut self, list: &mut List, at: u32, vectors: usize) {
        if list.used > LIST {
            self.test_listed(list);
        }
        // All four are written and those that count are kept, which needs no loop.
        let next: [u32; AT_ONCE] = [at, at + 8, at + 16, at + 24];
        list.first[list.used..list.used + AT_ONCE].copy_from_slice(&next);
        list.used += vectors;
    }

    /// Tests the listed candidates and empties the list.
    #[inline(always)]
    fn test_listed(&mut self, list: &mut List) {
        for &first in &list.first[..list.used] {
            let is_me = self.own.simd_eq(first as i32);
            self.test_vector(first as usize, is_me);
        }
        list.used = 0;
    }

    /// Tests the boids from `first` to `end`, at most eight.
    #[inline(always)]
    fn test_lanes(&mut self, first: usize, end: u32) {
        let is_me = self.own.simd_eq(first as i32);
        let beyond_end = lanes(self.own.simd).simd_ge((end as usize - first) as i32);
        self.test_vector(first, is_me | beyond_end);
    }

    /// Tests eight boids from `first` on, but not those in `skipped`. There is no branch: whoever is skipped or too far
    /// away goes the same way as a neighbor and adds nothing.
    #[inline(always)]
    fn test_vector(&mut self, first: usize, skipped: mask32x8<S>) {
        let simd = self.own.simd;
        let offset = self.flock.positions(simd, first) - self.position;
        let squared = offset.length_squared();
        let squared = Lane::select(skipped, squared.constant(BEYOND), squared);
        let others = Boids { position: self.position + offset, velocity: self.flock.velocities(simd, first) };
        T::accumulate(self.params, &mut self.sums, &others, offset, squared);
    }

    /// Adds up the lanes of each sum, into the place of the boid that is number `boid` of eight.
    #[inline(always)]
    fn add_lanes(&self, boid: usize, totals: &mut [[f32; LANES]; MOST_SUMS]) {
        let count = <T::Sums<f32x8<S>> as Sums<f32x8<S>>>::COUNT;
        let mut numbers = [self.position.x; MOST_SUMS];
        self.sums.put(&mut numbers[..count]);
        for (total, number) in totals[..count].iter_mut().zip(&numbers) {
            let (low, high) = number.split();
            let four: [f32; LANES / 2] = (low + high).into();
            total[boid] = (four[0] + four[2]) + (four[1] + four[3]);
        }
    }
}

/// The number of each lane.
#[inline(always)]
fn lanes<S: Simd>(simd: S) -> i32x8<S> {
    i32x8::simd_from(simd, [0, 1, 2, 3, 4, 5, 6, 7])
}
