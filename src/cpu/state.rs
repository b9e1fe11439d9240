//! The engine's state: a list of boids, each in half a cache line. A run of boids is read as a single stream of memory,
//! and a boid is moved as a whole.

use crate::flock::{BoidState, Torus};
use crate::laws::closest::Places;
use crate::laws::{Boids, V3};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};
use glam::Vec3;
use rayon::prelude::*;

/// Searching boids per vector.
pub const LANES: usize = 8;

/// Boids steered together: two independent instructions, or one of twice the width.
pub const WIDE: usize = 16;

/// One boid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Boid {
    /// World units.
    pub position: Vec3,
    /// The velocity slot: world units per second, or a unit heading for laws with a constant speed.
    pub velocity: Vec3,
    /// Identity, which sorting does not change.
    pub id: u32,
}

/// All boids, followed by [`WIDE`] padding entries, so that as many can be read from any boid on.
#[derive(Clone, Debug, Default)]
pub struct State {
    list: Vec<Boid>,
}

impl State {
    /// A state of so many boids, all zero.
    pub fn zeros(boids: usize) -> State {
        State { list: vec![Boid::default(); boids + WIDE] }
    }

    /// Boids in the flock.
    pub fn count(&self) -> usize {
        self.list.len().saturating_sub(WIDE)
    }

    /// The boids of the flock.
    pub fn boids(&self) -> &[Boid] {
        &self.list[..self.count()]
    }

    /// The boids of the flock, to write.
    pub fn boids_mut(&mut self) -> &mut [Boid] {
        let count = self.count();
        &mut self.list[..count]
    }

    /// The boids of the flock and the padding entries.
    pub fn padded(&self) -> &[Boid] {
        &self.list
    }

    /// Copies `state`, which has the same count of boids; on a torus, into the world.
    ///
    /// # Panics
    /// When `state` has another count of boids.
    pub fn set(&mut self, state: &BoidState, torus: Option<Torus>) {
        assert_eq!(state.len(), self.count(), "a state of all boids");
        for (i, boid) in self.boids_mut().iter_mut().enumerate() {
            let (position, velocity) = (state.placed(i, torus), state.contained(i).1);
            *boid = Boid { position, velocity, id: state.id[i] };
        }
    }

    /// A copy in the common format, in the same order.
    pub fn get(&self) -> BoidState {
        let boids = self.boids().par_iter();
        BoidState {
            position: boids.clone().map(|boid| boid.position).collect(),
            velocity: boids.clone().map(|boid| boid.velocity).collect(),
            id: boids.map(|boid| boid.id).collect(),
        }
    }
}

impl Places for State {
    fn boids(&self) -> usize {
        self.count()
    }

    fn position(&self, i: usize) -> Vec3 {
        self.list[i].position
    }

    fn velocity(&self, i: usize) -> Vec3 {
        self.list[i].velocity
    }

    fn id(&self, i: usize) -> u32 {
        self.list[i].id
    }
}

impl Boid {
    /// This boid in every lane.
    #[inline(always)]
    pub fn everywhere<S: Simd>(&self, simd: S) -> Boids<f32x8<S>> {
        let (p, v) = (self.position, self.velocity);
        let same = f32x8::splat;
        Boids {
            position: V3::new(same(simd, p.x), same(simd, p.y), same(simd, p.z)),
            velocity: V3::new(same(simd, v.x), same(simd, v.y), same(simd, v.z)),
        }
    }
}

/// The first of `boids`, one in each lane.
#[inline(always)]
pub fn in_lanes<S: Simd, V: SimdBase<S, Element = f32>>(simd: S, boids: &[Boid]) -> Boids<V> {
    let mut values = [[0.0; WIDE]; 6];
    for (lane, boid) in boids[..V::LEN].iter().enumerate() {
        let (p, v) = (boid.position, boid.velocity);
        (values[0][lane], values[1][lane], values[2][lane]) = (p.x, p.y, p.z);
        (values[3][lane], values[4][lane], values[5][lane]) = (v.x, v.y, v.z);
    }
    let [x, y, z, vx, vy, vz] = &values;
    let load = V::from_slice;
    let lanes = ..V::LEN;
    Boids {
        position: V3 { x: load(simd, &x[lanes]), y: load(simd, &y[lanes]), z: load(simd, &z[lanes]) },
        velocity: V3 { x: load(simd, &vx[lanes]), y: load(simd, &vy[lanes]), z: load(simd, &vz[lanes]) },
    }
}

/// The boids `before`, at most as many as there are lanes, with the places and velocities `moved`, into `after`.
#[inline(always)]
pub fn from_lanes<S: Simd, V: SimdBase<S, Element = f32>>(moved: &Boids<V>, before: &[Boid], after: &mut [Boid]) {
    let Boids { position: p, velocity: v } = moved;
    let mut values = [[0.0; WIDE]; 6];
    for (numbers, vector) in values.iter_mut().zip([p.x, p.y, p.z, v.x, v.y, v.z]) {
        vector.store_slice(&mut numbers[..V::LEN]);
    }
    let [x, y, z, vx, vy, vz] = values;
    for (lane, (before, after)) in before.iter().zip(after).enumerate() {
        let position = Vec3::new(x[lane], y[lane], z[lane]);
        *after = Boid { position, velocity: Vec3::new(vx[lane], vy[lane], vz[lane]), id: before.id };
    }
}
