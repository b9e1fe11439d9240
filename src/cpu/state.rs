//! The flock's state as the engine keeps it: a list for each component, so that eight boids are eight numbers side by side.

use crate::flock::BoidState;
use crate::reference::closest::Places;
use crate::reference::lanes::V3;
use crate::reference::steer::Boids;
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};
use glam::Vec3;
use rayon::prelude::*;

/// Boids that one instruction works on.
pub const LANES: usize = 8;

/// Positions and velocities of all boids. Behind the last boid are [`LANES`] that are no number, so that eight can be read
/// from any boid on.
#[derive(Clone, Debug, Default)]
pub struct State {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    vx: Vec<f32>,
    vy: Vec<f32>,
    vz: Vec<f32>,
    /// Identities, in the same order; nothing behind the last.
    pub id: Vec<u32>,
}

/// The lists of a [`State`], to read.
#[derive(Clone, Copy)]
pub struct View<'a> {
    x: &'a [f32],
    y: &'a [f32],
    z: &'a [f32],
    vx: &'a [f32],
    vy: &'a [f32],
    vz: &'a [f32],
}

/// A part of the lists of a [`State`], to write.
#[derive(Default)]
pub struct Part<'a> {
    x: &'a mut [f32],
    y: &'a mut [f32],
    z: &'a mut [f32],
    vx: &'a mut [f32],
    vy: &'a mut [f32],
    vz: &'a mut [f32],
}

impl State {
    /// A state of so many boids, all zero.
    pub fn zeros(boids: usize) -> State {
        let list = || {
            let mut list = vec![0.0; boids];
            list.extend([f32::NAN; LANES]);
            list
        };
        State { x: list(), y: list(), z: list(), vx: list(), vy: list(), vz: list(), id: vec![0; boids] }
    }

    /// Boids in the flock.
    pub fn boids(&self) -> usize {
        self.id.len()
    }

    /// Takes over the state of as many boids as it has.
    ///
    /// # Panics
    /// When `state` has another count of boids.
    pub fn set(&mut self, state: &BoidState) {
        assert_eq!(state.len(), self.boids(), "a state of all boids");
        for (list, from, axis) in [
            (&mut self.x, &state.position, 0),
            (&mut self.y, &state.position, 1),
            (&mut self.z, &state.position, 2),
            (&mut self.vx, &state.velocity, 0),
            (&mut self.vy, &state.velocity, 1),
            (&mut self.vz, &state.velocity, 2),
        ] {
            list.iter_mut().zip(from).for_each(|(value, vector)| *value = vector[axis]);
        }
        self.id.copy_from_slice(&state.id);
    }

    /// The same as other code keeps it, in the same order.
    pub fn get(&self) -> BoidState {
        let boids = (0..self.boids()).into_par_iter();
        BoidState {
            position: boids.clone().map(|i| self.position(i)).collect(),
            velocity: boids.map(|i| self.velocity(i)).collect(),
            id: self.id.clone(),
        }
    }

    /// Position of boid `i`.
    pub fn position(&self, i: usize) -> Vec3 {
        Vec3::new(self.x[i], self.y[i], self.z[i])
    }

    /// Velocity slot of boid `i`.
    pub fn velocity(&self, i: usize) -> Vec3 {
        Vec3::new(self.vx[i], self.vy[i], self.vz[i])
    }

    /// The lists, to read.
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        View { x: &self.x, y: &self.y, z: &self.z, vx: &self.vx, vy: &self.vy, vz: &self.vz }
    }

    /// The boids, without those that are no number, in parts of `boids` boids each.
    pub fn parts(&mut self, boids: usize) -> impl IndexedParallelIterator<Item = Part<'_>> {
        let count = self.boids();
        let [x, y, z, vx, vy, vz] = [&mut self.x, &mut self.y, &mut self.z, &mut self.vx, &mut self.vy, &mut self.vz]
            .map(|list| list[..count].par_chunks_mut(boids));
        (x, y, z, vx, vy, vz).into_par_iter().map(|(x, y, z, vx, vy, vz)| Part { x, y, z, vx, vy, vz })
    }

    /// The boids and their identities, in consecutive parts of the lengths `boids`.
    pub fn uneven_parts<'a>(&'a mut self, boids: impl Iterator<Item = usize>) -> Vec<(Part<'a>, &'a mut [u32])> {
        let State { x, y, z, vx, vy, vz, id } = self;
        let mut rest = Part { x, y, z, vx, vy, vz };
        let mut ids = &mut id[..];
        let split = |boids| {
            let (part, behind) = std::mem::take(&mut rest).split(boids);
            let (own, others) = std::mem::take(&mut ids).split_at_mut(boids);
            (rest, ids) = (behind, others);
            (part, own)
        };
        boids.map(split).collect()
    }
}

impl Places for State {
    fn boids(&self) -> usize {
        self.id.len()
    }

    fn position(&self, i: usize) -> Vec3 {
        State::position(self, i)
    }

    fn id(&self, i: usize) -> u32 {
        self.id[i]
    }
}

impl<'a> View<'a> {
    /// The same lists, with their equal lengths plain to the compiler: one check then does for all six.
    #[inline(always)]
    pub fn of_one_length(self) -> View<'a> {
        let end = self.x.len();
        let View { x, y, z, vx, vy, vz } = self;
        View { x, y: &y[..end], z: &z[..end], vx: &vx[..end], vy: &vy[..end], vz: &vz[..end] }
    }

    /// Positions of eight boids from `first` on.
    #[inline(always)]
    pub fn positions<S: Simd>(&self, simd: S, first: usize) -> V3<f32x8<S>> {
        V3::new(eight(simd, self.x, first), eight(simd, self.y, first), eight(simd, self.z, first))
    }

    /// Velocities of eight boids from `first` on.
    #[inline(always)]
    pub fn velocities<S: Simd>(&self, simd: S, first: usize) -> V3<f32x8<S>> {
        V3::new(eight(simd, self.vx, first), eight(simd, self.vy, first), eight(simd, self.vz, first))
    }

    /// The position of boid `i`, eight times.
    #[inline(always)]
    pub fn position<S: Simd>(&self, simd: S, i: usize) -> V3<f32x8<S>> {
        let same = f32x8::splat;
        V3::new(same(simd, self.x[i]), same(simd, self.y[i]), same(simd, self.z[i]))
    }
}

#[inline(always)]
fn eight<S: Simd>(simd: S, list: &[f32], first: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &list[first..first + LANES])
}

impl<'a> Part<'a> {
    /// Boids in this part.
    #[inline(always)]
    pub fn boids(&self) -> usize {
        self.x.len()
    }

    /// Stores the first `count` lanes of `boids` from boid `first` of this part on.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, first: usize, count: usize, boids: Boids<f32x8<S>>) {
        let Boids { position: p, velocity: v } = boids;
        store(self.x, first, count, p.x);
        store(self.y, first, count, p.y);
        store(self.z, first, count, p.z);
        store(self.vx, first, count, v.x);
        store(self.vy, first, count, v.y);
        store(self.vz, first, count, v.z);
    }

    /// Puts boid `from` of `state` in place `to` of this part.
    #[inline(always)]
    pub fn copy(&mut self, to: usize, state: &View<'_>, from: usize) {
        self.x[to] = state.x[from];
        self.y[to] = state.y[from];
        self.z[to] = state.z[from];
        self.vx[to] = state.vx[from];
        self.vy[to] = state.vy[from];
        self.vz[to] = state.vz[from];
    }

    fn split(self, boids: usize) -> (Part<'a>, Part<'a>) {
        let (x, x_behind) = self.x.split_at_mut(boids);
        let (y, y_behind) = self.y.split_at_mut(boids);
        let (z, z_behind) = self.z.split_at_mut(boids);
        let (vx, vx_behind) = self.vx.split_at_mut(boids);
        let (vy, vy_behind) = self.vy.split_at_mut(boids);
        let (vz, vz_behind) = self.vz.split_at_mut(boids);
        let behind = Part { x: x_behind, y: y_behind, z: z_behind, vx: vx_behind, vy: vy_behind, vz: vz_behind };
        (Part { x, y, z, vx, vy, vz }, behind)
    }
}

#[inline(always)]
fn store<S: Simd>(list: &mut [f32], first: usize, count: usize, values: f32x8<S>) {
    let values: [f32; LANES] = values.into();
    list[first..first + count].copy_from_slice(&values[..count]);
}
