//! Twin of `steer.comp`: each boid looks at its neighbors and moves by one time step. In double precision.

use super::lanes::{Double, Lane, V3};
use super::searches::Search;
use super::walls;
use crate::flock::BoidState;
use crate::flock::layout::StepParams;
use glam::DVec3;
use rayon::prelude::*;

/// One boid, in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boid {
    /// World units.
    pub position: DVec3,
    /// World units per second, or a unit heading for laws with a constant speed.
    pub velocity: DVec3,
}

/// A boid in each lane: one of the twin's, or eight or sixteen of the CPU engine's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boids<L> {
    /// World units.
    pub position: V3<L>,
    /// World units per second, or unit headings for laws with a constant speed.
    pub velocity: V3<L>,
}

/// What a boid does with its neighbors: twin of a file under `glsl/laws/`, written once for any [`Lane`].
pub trait Law: Sync {
    /// What is added up over the neighbors.
    type Sums<L: Lane>: Sums<L>;

    /// Adds the neighbors `others`, which lie `offset` away, to the sums: for the boid of each lane one, or none. Where there
    /// is none `distance_squared` is beyond every radius or no number, so a law compares with its radii before it adds.
    fn accumulate<L: Lane>(
        params: &StepParams,
        sums: &mut Self::Sums<L>,
        others: &Boids<L>,
        offset: V3<L>,
        distance_squared: L,
    );

    /// In which lanes [`Law::accumulate_close`] has something to add; `None` for a law that adds everything at once.
    #[inline(always)]
    fn is_close<L: Lane>(_params: &StepParams, _distance_squared: L) -> Option<L::Mask> {
        None
    }

    /// Adds what only close neighbors contribute, `offset` away: in the lanes `close`, where [`Law::is_close`] holds. Called
    /// besides [`Law::accumulate`], with the same distances, but not where that is no lane: few neighbors are close, so an
    /// engine is spared much.
    #[inline(always)]
    fn accumulate_close<L: Lane>(_sums: &mut Self::Sums<L>, _close: L::Mask, _offset: V3<L>, _distance_squared: L) {}

    /// In which lanes the closest boid, however far it is, is to be added by [`Law::add_closest`], given the sums over the
    /// neighbors; none for a law that never asks.
    #[inline(always)]
    fn wants_closest<L: Lane>(_sums: &Self::Sums<L>) -> Option<L::Mask> {
        None
    }

    /// Adds the closest boids, which lie `offset` away, where `mask` holds.
    #[inline(always)]
    fn add_closest<L: Lane>(_sums: &mut Self::Sums<L>, _mask: L::Mask, _closest: &Boids<L>, _offset: V3<L>) {}

    /// The boid in each lane after the step, given the sums over its neighbors.
    fn steer<L: Lane>(params: &StepParams, me: &Boids<L>, sums: &Self::Sums<L>) -> Boids<L>;
}

/// The numbers that a law adds up. [`sums!`](crate::sums) writes this for a structure.
pub trait Sums<L: Lane>: Copy {
    /// How many there are.
    const COUNT: usize;

    /// Zeros, in as many lanes as `like` has.
    fn zero(like: L) -> Self;

    /// Puts the numbers into a list of [`Sums::COUNT`], in the order of the fields.
    fn put(&self, into: &mut [L]);

    /// The sums whose numbers `put` has put there.
    fn take(from: &[L]) -> Self;
}

/// Defines the structure of a law's sums, generic over the lane `L`. A field is a number `L`, a vector `V3<L>`, or another
/// structure of sums.
#[macro_export]
macro_rules! sums {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$field_about:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $name<L> { $($(#[$field_about])* $field: $kind,)* }

        impl<L: $crate::reference::lanes::Lane> $crate::reference::steer::Sums<L> for $name<L> {
            const COUNT: usize = 0 $(+ <$kind as $crate::reference::steer::Sums<L>>::COUNT)*;

            #[inline(always)]
            fn zero(like: L) -> Self {
                $name { $($field: $crate::reference::steer::Sums::zero(like),)* }
            }

            #[inline(always)]
            fn put(&self, into: &mut [L]) {
                let rest = into;
                $(let (own, rest) = rest.split_at_mut(<$kind as $crate::reference::steer::Sums<L>>::COUNT);
                $crate::reference::steer::Sums::put(&self.$field, own);)*
                debug_assert!(rest.is_empty());
            }

            #[inline(always)]
            fn take(from: &[L]) -> Self {
                let rest = from;
                $(let (own, rest) = rest.split_at(<$kind as $crate::reference::steer::Sums<L>>::COUNT);
                let $field = $crate::reference::steer::Sums::take(own);)*
                debug_assert!(rest.is_empty());
                $name { $($field,)* }
            }
        }
    };
}

impl<L: Lane> Sums<L> for L {
    const COUNT: usize = 1;

    #[inline(always)]
    fn zero(like: L) -> Self {
        like.constant(0.0)
    }

    #[inline(always)]
    fn put(&self, into: &mut [L]) {
        into[0] = *self;
    }

    #[inline(always)]
    fn take(from: &[L]) -> Self {
        from[0]
    }
}

impl<L: Lane> Sums<L> for V3<L> {
    const COUNT: usize = 3;

    #[inline(always)]
    fn zero(like: L) -> Self {
        let zero = like.constant(0.0);
        V3::new(zero, zero, zero)
    }

    #[inline(always)]
    fn put(&self, into: &mut [L]) {
        (into[0], into[1], into[2]) = (self.x, self.y, self.z);
    }

    #[inline(always)]
    fn take(from: &[L]) -> Self {
        V3::new(from[0], from[1], from[2])
    }
}

impl From<Boid> for Boids<Double> {
    fn from(boid: Boid) -> Self {
        Boids { position: boid.position.into(), velocity: boid.velocity.into() }
    }
}

impl From<Boids<Double>> for Boid {
    fn from(boid: Boids<Double>) -> Self {
        Boid { position: boid.position.into(), velocity: boid.velocity.into() }
    }
}

/// Boid `i` of the flock.
pub fn boid(flock: &BoidState, i: usize) -> Boid {
    Boid { position: flock.position[i].as_dvec3(), velocity: flock.velocity[i].as_dvec3() }
}

/// Calls `visit` with index, offset and squared distance of every other boid within the search radius of boid `i`.
pub fn neighbors(
    params: &StepParams,
    flock: &BoidState,
    search: &impl Search,
    i: usize,
    mut visit: impl FnMut(usize, DVec3, f64),
) {
    let radius = f64::from(params.rules.search_radius);
    let position = flock.position[i].as_dvec3();
    search.candidates(flock.position[i], |range| {
        for j in range {
            let offset = flock.position[j].as_dvec3() - position;
            let distance_squared = offset.length_squared();
            if distance_squared <= radius * radius && j != i {
                visit(j, offset, distance_squared);
            }
        }
    });
}

/// Boid `i` after the step.
pub fn steer_boid<T: Law>(params: &StepParams, flock: &BoidState, search: &impl Search, i: usize) -> Boid {
    let mut neighborhood = Neighborhood::<T>::new(params);
    neighbors(params, flock, search, i, |j, offset, distance_squared| {
        neighborhood.add(boid(flock, j), offset, distance_squared);
    });
    neighborhood.steer(boid(flock, i), || search.closest(flock, i).map(|j| boid(flock, j)))
}

/// Sums over the neighbors of one boid, in double precision.
pub struct Neighborhood<'a, T: Law> {
    params: &'a StepParams,
    sums: T::Sums<Double>,
}

impl<'a, T: Law> Neighborhood<'a, T> {
    /// No neighbors yet.
    pub fn new(params: &'a StepParams) -> Self {
        Neighborhood { params, sums: T::Sums::zero(Double(0.0)) }
    }

    /// Adds the neighbor `other`, which lies `offset` away.
    pub fn add(&mut self, other: Boid, offset: DVec3, distance_squared: f64) {
        let (offset, distance_squared) = (offset.into(), Double(distance_squared));
        T::accumulate(self.params, &mut self.sums, &other.into(), offset, distance_squared);
        if T::is_close(self.params, distance_squared) == Some(true) {
            T::accumulate_close(&mut self.sums, true, offset, distance_squared);
        }
    }

    /// The boid after the step. `closest` is asked for the closest boid only if the law wants it.
    pub fn steer(mut self, me: Boid, closest: impl FnOnce() -> Option<Boid>) -> Boid {
        if T::wants_closest(&self.sums) == Some(true)
            && let Some(other) = closest()
        {
            let offset = other.position - me.position;
            T::add_closest(&mut self.sums, true, &other.into(), offset.into());
        }
        walls::meet_walls(self.params, T::steer(self.params, &me.into(), &self.sums)).into()
    }
}

/// All boids after the step. They read `flock`, the state before it, and nothing of each other's results.
pub fn steer<T: Law>(params: &StepParams, flock: &BoidState, search: &impl Search) -> Vec<Boid> {
    (0..flock.len()).into_par_iter().map(|i| steer_boid::<T>(params, flock, search, i)).collect()
}

/// Writes boids back into a state, rounded to single precision. The ids stay.
pub fn store(boids: Vec<Boid>, state: &mut BoidState) {
    for (i, boid) in boids.into_iter().enumerate() {
        state.position[i] = boid.position.as_vec3();
        state.velocity[i] = boid.velocity.as_vec3();
    }
}
