//! Neighbor search for eight boids at a time: each lane is a boid, and candidates are tested one by one.
//!
//! Candidates are those that any of the eight needs, about twice as many as for one boid. But one vector tests a
//! candidate for all eight, lanes are not summed, and nine runs are looked up for eight boids instead of one.
//!
//! Runs are first listed, then tested in one loop: the CPU cannot predict where short runs end.

use super::rows::Rows;
use super::state::{Boid, LANES, State, in_lanes};
use crate::flock::layout::{NO_RADIUS, StepParams};
use crate::flock::manners::{Perception, Sought};
use crate::laws::closest::{Cells, Nearest, Places};
use crate::laws::lanes::Lane;
use crate::laws::walls::way_to;
use crate::laws::{Boids, Felt, Law, Neighbors, Sums, V3};
use crate::limits::{MANNER_VIEW, MAX_KINDS, MAX_NEAREST, WALLS_WRAP};
use arrayvec::ArrayVec;
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

/// The sums over the neighbors of the boids `own` of `flock`, at most eight in one row of cells; other lanes are not
/// valid.
#[inline(always)]
pub fn look<T: Law, S: Simd>(
    simd: S,
    params: &StepParams,
    around: &Around<'_, S>,
    flock: &State,
    own: Range<usize>,
    (own_list, list): &mut (List, List),
) -> T::Sums<f32x8<S>> {
    let mut eight = Eight::new(simd, params, flock, own.clone());
    let mut sums = T::Sums::zero(eight.position.x);
    match around {
        None => eight.list::<T, true>(&mut sums, own_list, 0..params.boid_count),
        Some((rows, starts)) => {
            let runs = rows.runs(&flock.padded()[own]);
            let boids = |cells: Range<u32>| starts[cells.start as usize]..starts[cells.end as usize];
            eight.list::<T, true>(&mut sums, own_list, boids(runs.own));
            for cells in runs.around {
                eight.list::<T, false>(&mut sums, list, boids(cells));
            }
            if let Some((own, around)) = runs.beyond {
                eight.list::<T, true>(&mut sums, own_list, boids(own));
                for cells in around {
                    eight.list::<T, false>(&mut sums, list, boids(cells));
                }
            }
        }
    }
    if let Some(mut choice) = eight.choice.take() {
        choice.look_at(own_list);
        choice.look_at(list);
        choice.look_farther(around.as_ref().map(|(_, starts)| (&params.grid, *starts)));
        eight.limit = Some(choice.limit(simd));
        choice.list(own_list);
    }
    eight.test::<T, true>(&mut sums, own_list);
    eight.test::<T, false>(&mut sums, list);
    eight.add_close::<T>(&mut sums, own_list);
    eight.add_close::<T>(&mut sums, list);
    sums
}

/// The nearest boids of each of the eight, while they are being found: one by one, as the twin compares them. Only
/// these are added then, by their identities: so all searches lead to the same sums.
struct Choice<'a> {
    perception: Perception,
    flock: &'a State,
    eight: ArrayVec<Nearest<'a, State>, LANES>,
}

impl<'a> Choice<'a> {
    fn new(params: &StepParams, flock: &'a State, own: Range<usize>) -> Self {
        let (perception, sought) = (Perception::of(params), Sought::within(params.squared_radii.search));
        let nearest = |i| Nearest::none(flock, perception, sought, i, perception.nearest());
        Choice { perception, flock, eight: own.map(nearest).collect() }
    }

    /// Takes the candidates of a list, and empties it.
    #[inline(never)]
    fn look_at(&mut self, list: &mut List) {
        for nearest in &mut self.eight {
            nearest.look_at(list.boids[..list.used].iter().map(|&candidate| candidate as usize));
        }
        list.used = 0;
    }

    /// Without a radius: looks for those that are farther away.
    #[inline(never)]
    fn look_farther(&mut self, cells: Cells<'_>) {
        let few = self.eight.iter_mut().filter(|nearest| !self.perception.is_enough(nearest.found.len()));
        few.for_each(|nearest| nearest.look_around(Sought::within(NO_RADIUS * NO_RADIUS), cells));
    }

    /// The squared distance, and the identity, of the last boid that counts for each of the eight.
    fn limit<S: Simd>(&self, simd: S) -> (f32x8<S>, i32x8<S>) {
        let (mut squared, mut ids) = ([0.0; LANES], [0; LANES]);
        for (lane, nearest) in self.eight.iter().enumerate() {
            (squared[lane], ids[lane]) = nearest.limit();
        }
        (f32x8::simd_from(simd, squared), i32x8::simd_from(simd, ids.map(|id| id as i32)))
    }

    /// Puts all that were found into an empty list.
    fn list(&self, list: &mut List) {
        let mut all: ArrayVec<usize, { LANES * MAX_NEAREST as usize }> =
            self.eight.iter().flat_map(|nearest| nearest.found.iter().map(|found| found.2)).collect();
        all.sort_unstable_by_key(|&place| self.flock.id(place));
        let mut last = None;
        all.retain(|place| last.replace(*place) != Some(*place));
        for (listed, place) in list.boids.iter_mut().zip(&all) {
            *listed = *place as i32;
        }
        list.used = all.len();
    }
}

/// Candidates.
pub struct List {
    boids: [i32; LISTED + AT_ONCE],
    used: usize,
    /// One bit per candidate of each block, the last one lowest: clear if it is close to one of the eight. Close
    /// candidates are few and are added at the end, because a branch per candidate would be mispredicted.
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
    velocity: V3<f32x8<S>>,
    /// Where they are in the flock.
    indices: i32x8<S>,
    /// Where only the nearest count: these, while they are being found.
    choice: Option<Choice<'a>>,
    /// And then the last of them.
    limit: Option<(f32x8<S>, i32x8<S>)>,
    /// What each feels for a boid of each kind, if there are kinds.
    felt: ArrayVec<Felt<f32x8<S>>, { MAX_KINDS as usize }>,
}

impl<'a, S: Simd> Eight<'a, S> {
    /// The boids `own`.
    #[inline(always)]
    pub fn new(simd: S, params: &'a StepParams, state: &'a State, own: Range<usize>) -> Self {
        let flock = state.padded();
        let Boids { position, velocity } = in_lanes(simd, &flock[own.start..]);
        let indices = from(simd, own.start as u32);
        let mut felt = ArrayVec::new();
        for toward in 0..params.kinds.count {
            let mut weights = [[0.0; LANES]; 3];
            for (lane, boid) in flock[own.clone()].iter().enumerate() {
                let own = params.kinds.weights(params.kinds.of(boid.id), toward);
                (0..3).for_each(|rule| weights[rule][lane] = own[rule]);
            }
            felt.push(Felt::new(weights.map(
                #[inline(always)]
                |lanes| f32x8::simd_from(simd, lanes),
            )));
        }
        let choice = (params.manners.nearest > 0).then(|| Choice::new(params, state, own));
        Eight { params, flock, position, velocity, indices, choice, limit: None, felt }
    }

    /// Appends the boids of `run`; if the list is full, its entries are tested and added first.
    #[inline(always)]
    pub fn list<T: Law, const OWN: bool>(&mut self, sums: &mut T::Sums<f32x8<S>>, list: &mut List, run: Range<u32>) {
        let mut first = run.start;
        while first < run.end {
            if list.used > LISTED - AT_ONCE {
                if let Some(choice) = &mut self.choice {
                    choice.look_at(list);
                } else {
                    self.add::<T, OWN>(sums, list);
                }
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

    /// Tests the candidates of a full list, and empties it. Few lists are full, so this is compiled apart from the
    /// loops that fill them.
    #[inline(never)]
    fn add<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        self.position.x.apart(
            #[inline(always)]
            || {
                self.test::<T, OWN>(sums, list);
                self.add_close::<T>(sums, list);
            },
        );
    }

    /// Tests the candidates of a list. With `OWN`, they may include the eight, and a boid is not its own neighbor.
    #[cfg_attr(not(one_instruction_set), inline(always))]
    pub fn test<T: Law, const OWN: bool>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        // A local copy, which the compiler keeps in registers.
        let mut adding = *sums;
        let limits = self.is_limited();
        for (block, far) in list.boids[..list.used].chunks(BLOCK).zip(&mut list.far) {
            let mut bits = !0_u64;
            for &i in block {
                let others = self.flock[i as usize].everywhere(self.position.x.simd);
                // In this order the subtraction can read the candidate from memory.
                let mut offset = -(self.position - others.position);
                if self.params.walls == WALLS_WRAP {
                    offset = way_to(self.params, self.position, others.position);
                }
                let mut squared = offset.length_squared();
                if OWN {
                    squared = self.beyond_self(i, squared);
                }
                if limits {
                    squared = self.beyond_unperceived(i, offset, squared);
                }
                // Written twice, so that a flock without kinds multiplies nothing by 1.
                let plain = Neighbors { velocity: others.velocity, offset, distance_squared: squared, felt: None };
                match self.felt_for(i) {
                    None => T::accumulate(self.params, &mut adding, &plain),
                    felt => T::accumulate(self.params, &mut adding, &Neighbors { felt, ..plain }),
                }
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
    #[cfg_attr(not(one_instruction_set), inline(always))]
    pub fn add_close<T: Law>(&self, sums: &mut T::Sums<f32x8<S>>, list: &mut List) {
        for (block, &far) in list.boids[..list.used].chunks(BLOCK).zip(&list.far) {
            let mut left = !far;
            while left != 0 {
                // The nearest few in the order of their identities.
                let bit =
                    if self.limit.is_some() { u64::BITS - 1 - left.leading_zeros() } else { left.trailing_zeros() };
                let i = block[block.len() - 1 - bit as usize];
                left &= !(1 << bit);
                let others = self.flock[i as usize].everywhere(self.position.x.simd);
                let offset = way_to(self.params, self.position, others.position);
                let mut distance_squared = self.beyond_self(i, offset.length_squared());
                if self.is_limited() {
                    distance_squared = self.beyond_unperceived(i, offset, distance_squared);
                }
                if let Some(close) = T::is_close(self.params, distance_squared) {
                    let felt = self.felt_for(i);
                    let others = Neighbors { velocity: others.velocity, offset, distance_squared, felt };
                    T::accumulate_close(sums, close, &others);
                }
            }
        }
        list.used = 0;
    }

    /// Whether some boids within the radius are not perceived.
    #[inline(always)]
    fn is_limited(&self) -> bool {
        self.limit.is_some() || self.params.manners.bits & MANNER_VIEW != 0 || !self.felt.is_empty()
    }

    /// What each feels for boid `i`; nothing without kinds.
    #[inline(always)]
    fn felt_for(&self, i: i32) -> Option<Felt<f32x8<S>>> {
        if self.felt.is_empty() {
            return None;
        }
        Some(self.felt[self.params.kinds.of(self.flock[i as usize].id) as usize])
    }

    /// The squared distances to boid `i`, or [`BEYOND`] where it is not perceived: as `Perception` says, in lanes.
    #[inline(always)]
    fn beyond_unperceived(&self, i: i32, offset: V3<f32x8<S>>, squared: f32x8<S>) -> f32x8<S> {
        let beyond = squared.constant(BEYOND);
        let mut perceived = squared;
        if let Some(Felt { counts: [separation, alignment, cohesion], .. }) = self.felt_for(i) {
            let some = separation + alignment + cohesion;
            perceived = Lane::select(Lane::lt(squared.constant(0.0), some), perceived, beyond);
        }
        if self.params.manners.bits & MANNER_VIEW != 0 {
            let along = self.velocity.rounded_dot(offset);
            let apart = offset.rounded_dot(offset);
            let least = self.velocity.rounded_dot(self.velocity) * apart * self.params.manners.view;
            let felt = Lane::le(apart, apart.constant(self.params.manners.felt_squared));
            perceived = Lane::select(Lane::le(least, along * Lane::abs(along)) | felt, perceived, beyond);
        }
        if let Some((last, last_id)) = self.limit {
            let (key, id) = (offset.rounded_dot(offset), self.flock[i as usize].id as i32);
            let tied = Lane::select(last_id.simd_ge(id), key, beyond);
            let nearest = Lane::lt(key, last) | (Lane::le(key, last) & Lane::le(tied, last));
            perceived = Lane::select(nearest, perceived, beyond);
        }
        perceived
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
