//! Each boid looks at its neighbors and moves by one time step: a law of [`laws`](crate::laws), many boids at a time.
//!
//! A thread takes consecutive boids. First they search, at most eight of one row together; then they are steered,
//! sixteen of any rows together, because each result of the steering waits for the one before.

use super::look::{Around, List, look};
use super::rows::Rows;
use super::state::{Boid, LANES, State, WIDE, from_lanes, in_lanes};
use crate::cancel::Cancel;
use crate::flock::grid::cell_of;
use crate::flock::kinds::{Hunter, NO_KIND};
use crate::flock::layout::{MovementWeights, StepParams};
use crate::flock::manners::{Perception, Sought};
use crate::flock::obstacles::Obstacle;
use crate::laws::closest::closest;
use crate::laws::manners::vectorial_noise;
use crate::laws::walls::way_to;
use crate::laws::{Boids, Felt, Influences, Law, MOST_SUMS, Neighbors, Own, Sums, V3, Wish};
use crate::limits::{INFLUENCE_HUNTERS, MANNER_ANGULAR, MANNER_OWN_SPEED, MANNER_VECTORIAL};
use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x8, f32x16, mask32x16};
use glam::Vec3;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// The manners that take random numbers.
const MANNER_NOISE: u32 = MANNER_ANGULAR | MANNER_VECTORIAL;

/// Boids per task of a thread.
pub const PART: usize = 16 * WIDE;

/// The boids to test.
#[derive(Clone, Copy)]
pub enum Candidates<'a> {
    /// Every boid.
    All,
    /// The boids of nine rows of a flock in cell order, with the first boid of each cell.
    Rows(&'a [u32]),
}

/// The influences on a flock.
#[derive(Clone, Copy)]
pub struct Weighted<'a> {
    /// Those that are switched on: `INFLUENCE_` bits of [`limits`](crate::limits).
    pub bits: u32,
    /// How much each counts for each boid, by identity.
    pub weights: &'a [MovementWeights],
    /// Where the leader was before the step, if there is one.
    pub leader: Option<Vec3>,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Those that are feared.
    pub hunters: &'a [Hunter],
}

impl<'a> Weighted<'a> {
    /// The influences on `boids`, at most sixteen.
    #[cfg_attr(not(one_instruction_set), inline(always))]
    fn on<S: Simd>(&self, simd: S, params: &StepParams, boids: &[Boid]) -> Influences<'a, f32x16<S>> {
        let drawn = (params.manners.bits & MANNER_NOISE != 0).then(
            #[inline(always)]
            || {
                let mut lanes = [[0.0; WIDE]; 2];
                for (lane, boid) in boids.iter().enumerate() {
                    [lanes[0][lane], lanes[1][lane]] = params.manners.drawn(boid.id, params.step);
                }
                [f32x16::simd_from(simd, lanes[0]), f32x16::simd_from(simd, lanes[1])]
            },
        );
        let own = |boid: &Boid| &self.weights[boid.id as usize];
        let on = Influences::switched_on(
            self.bits,
            self.leader,
            self.obstacles,
            #[inline(always)]
            |weight| in_sixteen(simd, boids, |boid| weight(own(boid))),
        );
        let speed = (params.manners.bits & MANNER_OWN_SPEED != 0).then(
            #[inline(always)]
            || in_sixteen(simd, boids, |boid| own(boid).speed),
        );
        let kind = (self.bits & INFLUENCE_HUNTERS != 0).then(
            #[inline(always)]
            || in_sixteen(simd, boids, |boid| params.kinds.of(boid.id) as f32),
        );
        Influences { drawn, speed, kind, hunters: self.hunters, ..on }
    }
}

/// A number of each of `boids`, at most sixteen.
#[inline(always)]
fn in_sixteen<S: Simd>(simd: S, boids: &[Boid], number: impl Fn(&Boid) -> f32) -> f32x16<S> {
    let mut lanes = [0.0; WIDE];
    for (lane, boid) in lanes.iter_mut().zip(boids) {
        *lane = number(boid);
    }
    f32x16::simd_from(simd, lanes)
}

/// Moves all boids of `before` into `after`, which has as many, or some of them if it is cancelled.
pub fn steer<T: Law>(
    level: Level,
    params: &StepParams,
    candidates: Candidates<'_>,
    influences: Weighted<'_>,
    (before, after): (&State, &mut State),
    cancel: &Cancel,
) {
    after.boids_mut().par_chunks_mut(PART).enumerate().for_each(|(index, part)| {
        if cancel.is_requested() {
            return;
        }
        let first = index * PART;
        SCRATCH.with_borrow_mut(|scratch| {
            dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || steer_part::<T, _>(simd, params, (candidates, influences), before, first, part, (scratch, cancel)),
            ));
        });
    });
}

thread_local! {
    /// Reused by all parts and steps: allocating and zeroing it each time is slow.
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Scratch::new());
}

/// What a thread notes while it works on a part.
struct Scratch {
    /// A list for each number that a law adds up, over the boids of the part; up to eight unused entries follow.
    totals: [[f32; PART + LANES]; MOST_SUMS],
    lists: (List, List),
}

impl Scratch {
    fn new() -> Box<Scratch> {
        Box::new(Scratch { totals: [[0.0; PART + LANES]; MOST_SUMS], lists: Default::default() })
    }
}

/// Moves the boids from `first` on into `after`.
#[inline(always)]
fn steer_part<T: Law, S: Simd>(
    simd: S,
    params: &StepParams,
    (candidates, influences): (Candidates<'_>, Weighted<'_>),
    flock: &State,
    first: usize,
    after: &mut [Boid],
    (scratch, cancel): (&mut Scratch, &Cancel),
) {
    // A local copy: through a reference the compiler would reload each constant for each vector.
    let params = &{ *params };
    look_part::<T, S>(simd, params, candidates, flock, first..first + after.len(), (scratch, cancel));
    for (index, after) in after.chunks_mut(WIDE).enumerate() {
        let (done, count) = (index * WIDE, after.len());
        let before = &flock.padded()[first + done..];
        let me: Boids<f32x16<S>> = in_lanes(simd, before);
        let mut numbers = [me.position.x; MOST_SUMS];
        let numbers = &mut numbers[..<T::Sums<f32x16<S>> as Sums<f32x16<S>>>::COUNT];
        for (number, totals) in numbers.iter_mut().zip(&scratch.totals) {
            *number = f32x16::from_slice(simd, &totals[done..done + WIDE]);
        }
        let mut sums = T::Sums::take(numbers);
        if let Some(lonely) = T::wants_closest(&sums)
            && lonely.any_true()
        {
            let lonely = lonely.to_bitmask();
            let sought = |lane| (lonely >> lane & 1 == 1).then_some(Sought::ANYBODY);
            let found = Found::closest(params, candidates, flock, first + done, count, sought);
            found.add::<T, S>(simd, params, &mut sums, &me);
        }
        let mut influences = influences.on(simd, params, &before[..count]);
        if influences.kind.is_some() {
            let hunt = |boid: &Boid| params.kinds.hunts[params.kinds.of(boid.id) as usize];
            let sought = |lane: usize| {
                let hunt = hunt(&before[lane]);
                (hunt.prey != NO_KIND).then_some(Sought { kind: Some(hunt.prey), squared: hunt.sight_squared })
            };
            let found = Found::closest(params, candidates, flock, first + done, count, sought);
            let chase = in_sixteen(simd, &before[..count], |boid| hunt(boid).chase);
            influences.prey = Some((found.way::<S>(simd, params, &me), chase));
        }
        let noise = vectorial_noise(params, &influences, me.position);
        let own = Own { noise, speed: influences.speed };
        let moved = T::want(params, &me, &sums, &own).moved(params, &me, &influences);
        from_lanes(&moved, before, after);
    }
}

/// Leaves the sums over the neighbors of each of the boids `part` in `totals`, or of some if it is cancelled: with all
/// pairs of a large flock, a part takes long.
#[inline(always)]
fn look_part<T: Law, S: Simd>(
    simd: S,
    params: &StepParams,
    candidates: Candidates<'_>,
    flock: &State,
    part: Range<usize>,
    (Scratch { totals, lists }, cancel): (&mut Scratch, &Cancel),
) {
    let mut around: Around<'_, S> = None;
    let (mut at, mut row_end) = (part.start, part.start);
    while at < part.end && !cancel.is_requested() {
        if at == row_end {
            row_end = match candidates {
                Candidates::All => part.end,
                Candidates::Rows(starts) => {
                    let grid = &params.grid;
                    let cell = cell_of(grid, flock.padded()[at].position);
                    around = Some((Rows::around(simd, grid, params.rules.search_radius, cell.y, cell.z), starts));
                    let behind = (cell.y * grid.dims.z + cell.z + 1) * grid.dims.x;
                    part.end.min(starts[behind as usize] as usize)
                }
            };
        }
        let next = row_end.min(at + LANES);
        let sums = look::<T, S>(simd, params, &around, flock, at..next, lists);
        let mut numbers = [f32x8::splat(simd, 0.0); MOST_SUMS];
        let numbers = &mut numbers[..<T::Sums<f32x8<S>> as Sums<f32x8<S>>>::COUNT];
        sums.put(numbers);
        for (total, number) in totals.iter_mut().zip(numbers) {
            // The next boids overwrite unused lanes.
            number.store_slice(&mut total[at - part.start..at - part.start + LANES]);
        }
        at = next;
    }
}

/// The boids closest to some of sixteen, one by one: few boids are alone, or hunt.
#[derive(Default)]
struct Found {
    /// Bit k is set if there is one for number k.
    mask: u64,
    /// What number k feels for it.
    weights: [[f32; WIDE]; 3],
    position: [[f32; WIDE]; 3],
    velocity: [[f32; WIDE]; 3],
}

impl Found {
    /// Those closest to the first `count` boids from `first` on, of those that each seeks, if any.
    fn closest(
        params: &StepParams,
        candidates: Candidates<'_>,
        flock: &State,
        first: usize,
        count: usize,
        sought: impl Fn(usize) -> Option<Sought>,
    ) -> Found {
        let mut found = Found::default();
        let perception = Perception::of(params);
        for (lane, sought) in (0..count).filter_map(|lane| Some((lane, sought(lane)?))) {
            let cells = match candidates {
                Candidates::All => None,
                Candidates::Rows(starts) => Some((&params.grid, starts)),
            };
            if let Some(other) = closest(cells, flock, perception, sought, first + lane) {
                found.mask |= 1 << lane;
                let [id, of] = [first + lane, other].map(|place| flock.boids()[place].id);
                let weights = params.kinds.weights(params.kinds.of(id), params.kinds.of(of));
                for (axis, weight) in weights.into_iter().enumerate() {
                    found.position[axis][lane] = flock.boids()[other].position[axis];
                    found.velocity[axis][lane] = flock.boids()[other].velocity[axis];
                    found.weights[axis][lane] = weight;
                }
            }
        }
        found
    }

    #[inline(always)]
    fn add<T: Law, S: Simd>(&self, simd: S, params: &StepParams, sums: &mut T::Sums<f32x16<S>>, me: &Boids<f32x16<S>>) {
        let vector = f32x16::simd_from;
        let [vx, vy, vz] = self.velocity;
        let offset = self.way::<S>(simd, params, me);
        let velocity = V3::new(vector(simd, vx), vector(simd, vy), vector(simd, vz));
        let mask = mask32x16::from_bitmask(simd, self.mask);
        let felt = (params.kinds.count > 0).then(
            #[inline(always)]
            || {
                Felt::new(self.weights.map(
                    #[inline(always)]
                    |weights| vector(simd, weights),
                ))
            },
        );
        T::add_closest(sums, mask, &Neighbors { velocity, offset, distance_squared: offset.length_squared(), felt });
    }

    /// The way to each; zero where there is none.
    #[inline(always)]
    fn way<S: Simd>(&self, simd: S, params: &StepParams, me: &Boids<f32x16<S>>) -> V3<f32x16<S>> {
        let vector = f32x16::simd_from;
        let [x, y, z] = self.position;
        let offset = way_to(params, me.position, V3::new(vector(simd, x), vector(simd, y), vector(simd, z)));
        offset.only(mask32x16::from_bitmask(simd, self.mask))
    }
}
